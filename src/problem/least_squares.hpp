#pragma once

// Least squares by QR, which does not square the condition number of A: the method `direct`,
// the solution of generated problems, and a solution beyond double precision against which
// other solutions are measured.

#include <span>
#include <vector>

#include "linalg/factor.hpp"
#include "polyak/row_matrix.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

class ThreadTeam;

/// ½·size·Σ_j factors[j]·x_j²; without factors they are 1. With fewer rows than columns all
/// factors must be 1, except for at most one that may be 0.
struct Ridge {
  double size = 0.0;
  std::span<const double> factors = {};
};

/// Singular values of A up to this fraction of the largest count as zero: a small multiple of
/// the rounding errors in R, which do not grow with the number of rows.
double rank_threshold(Index rows, Index cols);

struct LeastSquaresResult {
  /// False when A, b or the weights are not finite, or the singular values did
  /// not converge; x is then zero and the rest is empty.
  bool ok = false;
  std::vector<double> x;  ///< c × d, one vector per right-hand side
  Index rank = 0;         ///< of [√w A; √ridge I]
  /// Singular values of [√w A; √ridge I], descending; min(n, d) of them (with n < d and a ridge
  /// the other d − n are √ridge).
  std::vector<double> singular_values;
  /// Filled where n ≥ d, the rank is below d and there is no ridge.
  Dependences dependences;
  std::vector<double> residual_norms;  ///< ‖√w (A·x_c − b_c)‖
};

/// The x_c of least norm among the minimisers of
///   ½ Σ_i w_i (a_iᵀx − b_ic)² + the ridge term,
/// where singular values up to rank_threshold(n, d) times the largest are treated as zero.
/// b is n × c; empty weights mean 1. Rows are read once, through copy_rows, in
/// bounded memory when n ≥ d (n × d numbers otherwise). Works on A·scale.a and b·scale.b and
/// scales back, exactly. The bits do not depend on the number of threads.
LeastSquaresResult qr_least_squares(const RowMatrix& A, ConstView b,
                                    std::span<const double> weights, Ridge ridge, ThreadTeam& team,
                                    Scale scale = {});

class ThreadTeam;

struct RefinedSolution {
  std::vector<double> x;
  /// True if the minimiser is unique to working precision; otherwise x is the minimiser of
  /// least norm ‖D·x‖, D the diagonal matrix of the column norms.
  bool unique = false;
  /// ‖D·correction‖/‖D·x‖ of the last correction: an estimate of the relative error of x.
  double error = 1.0;
  double residual_norm = 0.0;
  /// The solution by Householder QR of A·D⁻¹ in double precision, not refined. Empty where QR
  /// would take too long.
  std::vector<double> x_qr;
};

/// The minimiser x of ‖A·x − b‖, b one column: R and x of [A·D⁻¹ | b] by Householder QR, then
/// x ← x + D⁻¹·R⁻¹·R⁻ᵀ·D⁻¹·Aᵀ(b − A·x), where residual, gradient and x are long doubles. Each
/// step reduces the error by a factor of about eps·cond(A·D⁻¹), down to 11 bits below double
/// precision (on x86). For n·d² above 1.5e11 conjugate gradients replace R.
RefinedSolution refined_least_squares(const RowMatrix& A, ConstView b, ThreadTeam& team);

}  // namespace polyak::internal
