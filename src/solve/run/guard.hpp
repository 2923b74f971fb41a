#pragma once

// What to do when a run with parameters of our own choosing grows instead of
// falling (facts were estimates, or the batch is too small for the momentum):
// go back to the best x with less momentum, and once there is none, with half
// the step. What the user gave is never changed.

#include "solve/plan/plan.hpp"

namespace polyak {

class Guard {
 public:
  Guard(const SolveOptions& options, const Plan& plan);

  /// Something is left to take back.
  bool can_back_off() const;
  /// The next gentler parameters.
  void back_off();
  /// Puts them in place of those planned.
  void apply(Parameters& parameters, Used& used) const;
  /// What was done, for the report; empty if nothing was.
  std::string told() const;

 private:
  static constexpr int most_halvings = 10;

  bool own_momentum_, own_step_;
  double planned_momentum_, momentum_;
  int halvings_ = 0, times_ = 0;
};

}  // namespace polyak
