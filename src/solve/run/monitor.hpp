#pragma once

// True norms of the current x, at the price of one read of A, and what they
// say about the tolerance. Everything here is in the scaled problem's units
// until it goes into a Measurement.

#include <optional>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "polyak/problem.hpp"
#include "polyak/report.hpp"
#include "solve/run/working_problem.hpp"

namespace polyak {

struct Measured {
  Measurement line;  ///< for the history, in the user's units
  double distance =
      0.0;  ///< how far above the tolerance the worst right-hand side is; ≤ 1 is converged
  double backward_error = 0.0;  ///< the same, times the tolerance
  bool by_residual = true;      ///< which of the two tests that one is nearer to
  double gradient = 0.0;        ///< ‖g‖ in the variables the method works in
  double residual = 0.0;        ///< ‖r‖ with the ridge part, scaled units
  bool finite = true;
};

class Monitor {
 public:
  Monitor(const WorkingProblem& working, Backend& backend, double tol,
          const std::optional<StopRule>& rule = {});

  /// Reads A once. `host_x` holds the numbers of x.
  Measured measure(const Block& x, ConstView host_x);
  /// What needs no read: whether ‖Ãᵀr‖² of each right-hand side, and a bound on
  /// ‖r‖, tell that x does not meet the tolerance.
  bool surely_above(ConstView x, std::span<const double> gradient2, double most_residual) const;

  /// What right-hand side c asks of x at least: ‖r‖ ≤ residual, or ‖g‖ ≤ gradient·‖r‖.
  /// (The second follows from |g_j| ≤ tol‖a_j‖‖r‖ for every j.)
  struct Bars {
    double residual, gradient;
  };
  Bars bars(ConstView x, Index c) const;
  /// What the ridge adds to ‖r‖² and to uᵀg.
  struct RidgePart {
    double residual2, slope;
  };
  RidgePart ridge_part(ConstView x, Index c, const double* u) const;

 private:
  double ridge_of(Index j) const;  // in scaled units
  void add_ridge(ConstView x);
  void project_gradient(ConstView x);
  double error(ConstView x) const;
  void judge_by_rule(Measured& out);
  double size_of(ConstView x, Index c) const;                    // Σ_j‖a_j‖|x_j| + ‖b‖
  double largest_slope(const double* g, double residual) const;  // of |g_j|/(‖a_j‖‖r‖)
  double user_gradient();  // ‖Aᵀr‖ of the user's A; g_ becomes it
  double user_frobenius() const;

  const WorkingProblem& working_;
  const Problem& problem_;
  const MatrixFacts& facts_;
  Backend& backend_;
  double tol_, unit_;
  std::vector<double> columns_;  // ‖a_j‖; with a ridge, of [A; √ridge·I]
  double frobenius_, b_norm_;
  std::optional<StopRule> rule_;
  double norm_;  // ‖A‖ from below, in the user's units: what rule_ takes for it
  Block g_block_;
  std::vector<double> g_, residual2_;  // g_: that block on the host
};

}  // namespace polyak
