#pragma once

// True norms of the current x, for one read of A, and whether they meet the tolerance. All numbers
// are in the scaled problem's units, except those of a Measurement.

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "polyak/problem.hpp"
#include "polyak/report.hpp"
#include "solve/run/working_problem.hpp"

namespace polyak::internal {

struct Measured {
  Measurement line;  ///< for the history, in the user's units
  /// Of the worst right-hand side, as a multiple of the tolerance; ≤ 1 is converged.
  double distance = 0.0;
  double backward_error = 0.0;  ///< distance times the tolerance
  bool by_residual = true;      ///< which of the two tests it is nearer to
  double gradient = 0.0;        ///< ‖g‖ in the variables the method works in
  double residual = 0.0;        ///< ‖r‖ with the ridge part, scaled units
  bool finite = true;
  /// Present where the numbers come from AᵀA and not from a read of A. backward_error and the
  /// relative gradient are upper bounds then, by so much above the computed backward error.
  std::optional<double> rounding = {};
  double least_backward_error = 0.0;  ///< with rounding: a lower bound
};

class Monitor {
 public:
  Monitor(const WorkingProblem& working, Backend& backend, double tol,
          const std::optional<StopRule>& rule = {});

  /// Reads A once. `host_x` holds the numbers of x.
  Measured measure(const Block& x, ConstView host_x);
  /// Without a read of A, from the model of a method; nothing where its error bounds do not decide
  /// whether x meets the tolerance, or leave fewer than six digits of ‖r‖.
  std::optional<Measured> measure_by(const NormalModel& model, ConstView x);
  /// ÃᵀWr̃ and ‖r̃‖² of the last measure(), without the ridge; for the method.
  ConstView gradient() const {
    const auto d = static_cast<Index>(columns_.size());
    return {read_g_.data(), std::ssize(read_residual2_), d, d};
  }
  std::span<const double> residual2() const { return read_residual2_; }
  /// Without a read of A: whether ‖Ãᵀr‖² of each right-hand side, and an upper bound on ‖r‖,
  /// show that x does not meet the tolerance.
  bool surely_above(ConstView x, std::span<const double> gradient2, double max_residual) const;

  /// Necessary for the tolerance of right-hand side c: ‖r‖ ≤ residual, or ‖g‖ ≤ gradient·‖r‖.
  /// (The second follows from |g_j| ≤ tol‖a_j‖‖r‖ for every j.)
  struct Bars {
    double residual, gradient;
  };
  Bars bars(ConstView x, Index c) const;
  /// The part of the ridge in ‖r‖² and in uᵀg.
  struct RidgePart {
    double residual2, slope;
  };
  RidgePart ridge_part(ConstView x, Index c, const double* u) const;

 private:
  // Of the last values in g_ and residual2_: at most so far from the true ones.
  struct Errors {
    double residual2 = 0.0;  // of ‖r‖²
    double gradient = 0.0;   // of g_j, as a multiple of the norm of column j
  };
  // The norms in g_ and residual2_, with upper bounds in place of values where there are errors.
  Measured judge(ConstView x, std::span<const Errors> errors);
  // The two tests of one right-hand side: ‖r‖ and the largest |g_j|/(‖a_j‖‖r‖), relative; of the
  // values, or at least (sign −1), or at most (sign +1).
  struct Tests {
    double by_residual, by_gradient;
    double nearer() const { return std::min(by_residual, by_gradient); }
  };
  Tests tests(ConstView x, Index c, const Errors& errors, double sign) const;
  double ridge_of(Index j) const;  // in scaled units
  void add_ridge(ConstView x);
  void project_gradient(ConstView x);
  double error(ConstView x) const;
  void judge_by_rule(Measured& out);
  double size_of(ConstView x, Index c) const;  // Σ_j‖a_j‖|x_j| + ‖b‖
  bool finite_for_user(ConstView x) const;
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
  double norm_;  // a lower bound on ‖A‖ in the user's units, which rule_ uses for ‖A‖
  Block g_block_;
  std::vector<double> g_, residual2_;  // g_: that block on the host
  std::vector<double> read_g_, read_residual2_;
};

}  // namespace polyak::internal
