#pragma once

// Everything that is settled before the first iteration: the team, the facts
// about A, the plan. Shared by the driver and by replicates.

#include <memory>

#include "backend/backend.hpp"
#include "core/clock.hpp"
#include "solve/plan/plan.hpp"
#include "solve/run/working_problem.hpp"

namespace polyak {

class SolveSetup {
 public:
  SolveSetup(const Problem& problem, const SolveOptions& options);

  /// In the variables that methods work in.
  const Problem& problem() const { return working_.problem(); }
  const WorkingProblem& working() const { return working_; }
  const MatrixFacts& facts() const { return working_.facts(); }
  const Plan& plan() const { return plan_; }
  /// Where vectors and products live.
  Backend& backend() const { return *backend_; }
  /// Products on the host, for measurements on few rows.
  Products& products() { return products_; }
  ThreadTeam& team() { return team_; }
  int threads() const { return team_.size(); }
  /// No entry of A matters: there is nothing to iterate on.
  bool trivial() const { return facts().frobenius2 == 0.0; }
  /// Of set-up and its parts.
  const Seconds& seconds() const { return seconds_; }

  /// Of one stream, or of several from there on side by side, each with the
  /// bits it would have alone; the latter where side_by_side() allows.
  std::unique_ptr<Method> start(std::uint64_t stream, Index replicates = 1);
  std::unique_ptr<Method> start(const Parameters& parameters);
  /// How many of `runs` are best run side by side: sharing rows pays where
  /// their batches together cover A more than once.
  Index side_by_side(Index runs) const;

 private:
  double started_ = now_s();
  Seconds seconds_;
  ThreadTeam team_;
  WorkingProblem working_;
  Products products_;
  std::unique_ptr<Backend> backend_;
  Plan plan_;
};

}  // namespace polyak
