#pragma once

// Everything that is settled before the first iteration: the team, the facts
// about A, the plan. Shared by the driver and by replicates.

#include <memory>

#include "solve/plan.hpp"

namespace polyak {

/// Seconds since some moment, steadily.
double now_s();

class Engine {
 public:
  Engine(const Problem& problem, const SolveOptions& options);

  const Problem& problem() const { return problem_; }
  const MatrixFacts& facts() const { return facts_; }
  const Plan& plan() const { return plan_; }
  Products& products() { return products_; }
  int threads() const { return team_.size(); }
  /// No entry of A matters: there is nothing to iterate on.
  bool trivial() const { return facts_.frobenius2 == 0.0; }
  double setup_seconds() const { return setup_seconds_; }

  std::unique_ptr<Method> start(std::uint64_t stream);

 private:
  double started_ = now_s();
  const Problem& problem_;
  ThreadTeam team_;
  MatrixFacts facts_;
  Products products_;
  Plan plan_;
  double setup_seconds_ = 0.0;
};

}  // namespace polyak
