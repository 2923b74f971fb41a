#pragma once

// Where problems are made and methods are run, or taken from the store when
// they were before. One problem is in memory at a time.

#include <memory>
#include <set>

#include "experiments/meter.hpp"
#include "experiments/spec.hpp"
#include "experiments/store.hpp"
#include "experiments/workbench.hpp"
#include "polyak/experiments.hpp"
#include "polyak/theory.hpp"

namespace polyak::experiments {

/// Thrown when the watcher wants to stop; never leaves reproduce().
struct Interrupted {};

/// One configuration to run.
struct Order {
  SolveOptions options;  ///< batch settled
  Index runs = 1, iterations = 0, every = 1;
  bool residuals = false, path = false, image = false;
};

class Lab {
 public:
  Lab(const Options& options, Meter& meter);

  /// From here on it is about this problem; the one before is let go.
  void enter(const ProblemSpec& problem);
  const ProblemFacts& facts();
  RunResult run(const Order& order);
  /// Heavy ball at the paper's parameters, row-norm sampling, 0.001 to 1 of
  /// this batch.
  Prediction predict(Index k, double most_batch);
  /// When the root mean square error of what ran is to be below `tol`, within
  /// `most` iterations; row-norm sampling and full gradients only.
  std::optional<double> predicted_steps(const RunResult& ran, double tol, Index most);

  Index made() const { return made_; }
  Index kept() const { return std::ssize(kept_names_); }

 private:
  Workbench& bench();
  const theory::Model& model();
  std::string key(const Order& order) const;

  const Options& options_;
  Meter& meter_;
  Store store_;
  std::optional<ProblemSpec> problem_;
  std::optional<ProblemFacts> facts_;
  std::unique_ptr<Workbench> bench_;
  std::optional<theory::Model> model_;
  Index made_ = 0;
  std::set<std::string> kept_names_;
};

}  // namespace polyak::experiments
