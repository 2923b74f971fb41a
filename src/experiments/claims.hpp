#pragma once

// Claims: statements about a figure that are checked against its numbers.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/figure.hpp"

namespace polyak::experiments {

/// Thrown by a check if its assumptions do not hold for this figure.
struct NotApplicable {
  std::string reason;
};

struct Verdict {
  std::string expected, measured;
  bool pass = false;
};

/// The series of all panels that share one problem.
class Pool {
 public:
  void add(const PanelResult& panel);
  const ProblemFacts& facts() const { return panels_[0]->facts; }
  const std::string& title() const { return panels_[0]->spec->title; }
  Index k() const { return panels_[0]->k; }

  /// The series of that label; NotApplicable if its batch was limited to the number of rows.
  const Series& find(const std::string& label) const;
  /// The same, but null if the batch was limited.
  const Series* fitting(const std::string& label) const;

 private:
  const Series& named(const std::string& label) const;

  std::vector<const PanelResult*> panels_;
  std::vector<const Series*> series_;
};

/// The kinds of check, by name.
using Check = std::function<Verdict(const ClaimSpec&, const Pool&)>;
const std::map<std::string, Check>& checks();

/// One result for each claim, each of its values of c and each problem of the figure; a result
/// that is not applicable has a reason.
std::vector<Claim> check_claims(const Figure& figure);

}  // namespace polyak::experiments
