#pragma once

// Generates or loads problems and runs methods on them; results of earlier calls are taken from
// the store. One problem is in memory at a time.

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

namespace polyak::experiments::internal {

/// The scan geometry: views at equal angles over scan.turn degrees.
tomography::Geometry geometry_of(const ScanSpec& scan);

/// The true image of the scan, row by row.
std::vector<double> planted_image(const ProblemSpec& problem);

/// A simulated scan: A, and b = A·image, consistent up to rounding.
struct Scan {
  MatrixPtr A;
  std::vector<double> image, b;
};
Scan make_scan(const ProblemSpec& problem, int threads);

/// A problem in memory, generated or loaded, with its least squares solution as the reference and
/// its spectrum.
class Workbench {
 public:
  Workbench(const ProblemSpec& spec, int threads);

  const Problem& problem() const { return *problem_; }
  const SpectrumFacts& spectrum() const { return spectrum_; }
  ProblemFacts facts() const;

  /// True if the eigenvectors are known, which residual_norm() and start() need.
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

/// Thrown if the watcher requests a stop; caught in reproduce().
struct Interrupted {};

/// One configuration to run.
struct RunRequest {
  SolveOptions options;  ///< with the batch size set
  Index runs = 1, iterations = 0, every = 1;
  bool residuals = false, path = false, image = false;
};

/// Runs configurations on the current problem, or loads their stored results.
class Lab {
 public:
  Lab(const Options& options, Progress& progress);

  /// Makes this the current problem; releases the previous one.
  void set_problem(const ProblemSpec& problem);
  const ProblemFacts& facts();
  RunResult run(const RunRequest& wanted);
  /// Predicted errors after k iterations of heavy ball with the parameters of the paper and
  /// row-norm sampling, for batches from 0.001 · max_batch to max_batch.
  Prediction predict(Index k, double max_batch);
  /// The predicted number of iterations until the root mean square error of this run is at most
  /// `tol`, if it is at most `max_iterations`; only for row-norm sampling and full gradients.
  std::optional<double> predicted_steps(const RunResult& ran, double tol, Index max_iterations);

  Index runs_made() const { return made_; }
  Index runs_kept() const { return std::ssize(kept_names_); }

 private:
  Workbench& bench();
  const theory::Model& model();
  std::string key(const RunRequest& wanted) const;

  const Options& options_;
  Progress& progress_;
  Store store_;
  std::optional<ProblemSpec> problem_;
  std::optional<ProblemFacts> facts_;
  std::unique_ptr<Workbench> bench_;
  std::optional<theory::Model> model_;
  Index made_ = 0;
  std::set<std::string> kept_names_;
};

}  // namespace polyak::experiments::internal
