#pragma once

// A problem in memory, ready to be run: made to order or loaded, its least
// squares solution as the reference, its spectrum known.

#include <memory>

#include "experiments/result.hpp"
#include "experiments/spec.hpp"
#include "polyak/problem.hpp"
#include "polyak/spectrum.hpp"

namespace polyak::experiments {

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

}  // namespace polyak::experiments
