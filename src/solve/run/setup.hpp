#pragma once

// Everything that is fixed before the first iteration: threads, facts about A, backend, plan. Used
// by the driver and by replicates.

#include <memory>

#include "backend/backend.hpp"
#include "core/clock.hpp"
#include "solve/plan/plan.hpp"
#include "solve/run/working_problem.hpp"

namespace polyak::internal {

/// Whether a factorisation of rows with this many entries takes less time than the start of
/// threads, some 50 µs each.
inline bool is_brief(double entries, Index cols) {
  constexpr double max_entries = 3e4, max_products = 4e6;
  return entries <= max_entries && entries * static_cast<double>(cols) <= max_products;
}

class SolveSetup {
 public:
  /// `copied` has the rows of the problem on the device (copied_rows); null: they are copied.
  SolveSetup(const Problem& problem, const SolveOptions& options,
             FirstRead first_read = FirstRead::cheapest, std::shared_ptr<RowSums> copied = nullptr);

  /// In the variables that methods work in.
  const Problem& problem() const { return working_.problem(); }
  const WorkingProblem& working() const { return working_; }
  const MatrixFacts& facts() const { return working_.facts(); }
  const Plan& plan() const { return plan_; }
  /// Of vectors and products.
  Backend& backend() const { return *backend_; }
  /// Products on the host, for measurements on few rows.
  Products& products() { return products_; }
  ThreadTeam& team() { return team_; }
  int threads() const { return team_.size(); }
  /// A is zero or empty: there is nothing to iterate on.
  bool trivial() const { return facts().frobenius2 == 0.0; }
  /// Of set-up and its parts.
  const Seconds& seconds() const { return seconds_; }

  /// A method for one random stream, or for several from there on side by side, each with the bits
  /// it would have alone; several where side_by_side() allows it.
  std::unique_ptr<Method> start(std::uint64_t stream, Index replicates = 1);
  std::unique_ptr<Method> start(const Parameters& parameters);
  /// How many of `runs` to run side by side: sharing rows saves time where their batches together
  /// have more rows than A.
  Index side_by_side(Index runs) const;

 private:
  double started_ = now_s();
  Seconds seconds_;
  ThreadTeam team_;
  std::shared_ptr<RowSums> copied_;
  WorkingProblem working_;
  Products products_;
  std::unique_ptr<Backend> backend_;
  Plan plan_;
};

}  // namespace polyak::internal
