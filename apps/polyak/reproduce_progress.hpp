#pragma once

// Tells how far a reproduction is: one line that is rewritten on a terminal, a
// line now and then elsewhere, events in JSON.

#include "messages.hpp"
#include "polyak/experiments.hpp"

namespace polyak::cli {

class ReproduceProgress final : public experiments::Watcher {
 public:
  explicit ReproduceProgress(Messages& messages);

  void progress(const std::string& what, double done, std::optional<double> left_s) override;
  bool stop_requested() override;

 private:
  Messages& messages_;
  double next_s_;  // when to speak again
};

/// "about 3 min left" and the like.
std::string time_left(double seconds);

}  // namespace polyak::cli
