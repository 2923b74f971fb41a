#pragma once

// Tells how a solve goes: a line that is rewritten on a terminal, a line now
// and then elsewhere, an event per measurement in JSON.

#include "messages.hpp"
#include "polyak/solve.hpp"

namespace polyak::cli {

class Progress final : public Observer {
 public:
  Progress(Messages& messages, Index rows);

  void measured(const Measurement& measurement) override;
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override;

 private:
  void show(Index iteration, Index row_products);

  Messages& messages_;
  double rows_;
  double started_s_;
  double next_s_;  // when to speak again
  Measurement last_;
};

/// Seconds on a clock that only goes forward.
double clock_s();

}  // namespace polyak::cli
