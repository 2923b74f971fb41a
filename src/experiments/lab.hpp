#pragma once

// Where problems are made and methods are run, or taken from the store when
// they were before. One problem is in memory at a time.
// A problem in memory, ready to be run: made to order or loaded, its least
// squares solution as the reference, its spectrum known.
// A scan made to order: the paper's tomography, or one of the user's size.

#include <memory>
#include <set>

#include "experiments/progress.hpp"
#include "experiments/results.hpp"
#include "experiments/spec.hpp"
#include "polyak/experiments.hpp"
#include "polyak/problem.hpp"
#include "polyak/spectrum.hpp"
#include "polyak/theory.hpp"
#include "polyak/tomography.hpp"

namespace polyak::experiments {

/// The views go once around, or as far as the spec says, in equal steps.
tomography::Geometry geometry_of(const ScanSpec& scan);

/// The image behind the data, row by row.
std::vector<double> planted_image(const ProblemSpec& problem);

/// A, and b = A·image: consistent up to rounding.
struct Scan {
  MatrixPtr A;
  std::vector<double> image, b;
};
Scan make_scan(const ProblemSpec& problem, int threads);

class Workbench {
 public:
  Workbench(const ProblemSpec& spec, int threads);

  const Problem& problem() const { return *problem_; }
  const SpectrumFacts& spectrum() const { return spectrum_; }
  ProblemFacts facts() const;

  /// Whether residual_norm and coordinates can be told.
  bool has_basis() const { return !spectrum_.eigenvectors.empty(); }
  /// ‖Ax − b‖ without reading A: ‖r*‖² + Σ lambda_j (v_jᵀ(x − x*))², as r* is
  /// orthogonal to the columns of A.
  double residual_norm(ConstView x) const;
  /// v_jᵀ(x_0 − x*).
  std::vector<double> start() const;

 private:
  void make(const ProblemSpec& spec, int threads);
  void scan(const ProblemSpec& spec, int threads);
  void load(const ProblemSpec& spec, int threads);
  void bound_spectrum(int threads);
  double along(std::size_t j, ConstView x, Index row) const;

  std::unique_ptr<const Problem> problem_;
  SpectrumFacts spectrum_;
  double residual_norm_ = 0.0;
  double seconds_ = 0.0;
};

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
