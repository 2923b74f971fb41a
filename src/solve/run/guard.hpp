#pragma once

// Smaller parameters for a run that diverges although its parameters were chosen by the plan (facts
// were estimates, or the batch is too small for the momentum): it goes back to the best x with
// less momentum, and where there is none left, with half the step. Parameters that the user gave
// are never changed.

#include "solve/plan/plan.hpp"

namespace polyak::internal {

class Guard {
 public:
  Guard(const SolveOptions& options, const Plan& plan);

  /// Momentum or step can still be reduced.
  bool can_back_off() const;
  /// Reduces them once more.
  void back_off();
  /// Replaces the planned parameters.
  void apply(Parameters& parameters, Used& used) const;
  /// What was done, for the report; empty if nothing was.
  std::string description() const;

 private:
  static constexpr int max_halvings = 10;

  bool own_momentum_, own_step_;
  double planned_momentum_, momentum_;
  int halvings_ = 0, times_ = 0;
};

}  // namespace polyak::internal
