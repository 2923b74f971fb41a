#pragma once

// Least squares by orthogonal factorisation: the method `direct`, and the
// exact answer of generated problems. The conditioning of A is met once, never
// squared.
//
// Least squares to more than working precision: what others' answers are measured by.

#include <span>
#include <vector>

#include "linalg/factor.hpp"
#include "polyak/row_matrix.hpp"
#include "polyak/types.hpp"

namespace polyak {

class ThreadTeam;

/// ½·size·Σ_j factors[j]·x_j²; no factors stand for 1. With fewer rows than columns
/// they are all 1 but for one that may be 0.
struct Ridge {
  double size = 0.0;
  std::span<const double> factors = {};
};

/// Singular values of A up to this part of the largest count as zero: some times what
/// rounding in R makes of a zero, which does not grow with the number of rows.
double rank_threshold(Index rows, Index cols);

struct LeastSquaresResult {
  /// False when A, b or the weights are not finite, or the singular values did
  /// not converge; x is then zero and the rest is empty.
  bool ok = false;
  std::vector<double> x;  ///< c × d, one vector per right-hand side
  Index rank = 0;         ///< of [√w A; √ridge I]
  /// Of the same matrix, descending; min(n, d) of them (when n < d and there
  /// is a ridge, the d − n others are √ridge).
  std::vector<double> singular_values;
  /// Where n ≥ d, the rank is less than d and there is no ridge.
  Dependences dependences;
  std::vector<double> residual_norms;  ///< ‖√w (A·x_c − b_c)‖
};

/// The x_c of least norm among the minimisers of
///   ½ Σ_i w_i (a_iᵀx − b_ic)² + the ridge
/// with singular values up to rank_threshold(n, d) of the largest taken as zero.
/// b is n × c; empty weights mean 1. Rows are read once, through copy_rows, in
/// bounded memory when n ≥ d (n × d numbers otherwise). Works on A·scale.a and
/// b·scale.b and scales back, exactly; same bits for any team.
LeastSquaresResult qr_least_squares(const RowMatrix& A, ConstView b,
                                    std::span<const double> weights, Ridge ridge, ThreadTeam& team,
                                    Scale scale = {});

class ThreadTeam;

struct RefinedSolution {
  std::vector<double> x;
  /// Is the minimiser unique, to working precision? Where it is not, x is that of least
  /// norm ‖D·x‖, D the norms of the columns.
  bool unique = false;
  /// ‖D·correction‖/‖D·x‖ of the last correction: what x may still be off by.
  double error = 1.0;
  double residual_norm = 0.0;
  /// By Householder QR of A with columns of norm about 1, not refined: what QR gives in
  /// double precision. Empty where QR would have taken too long.
  std::vector<double> x_qr;
};

/// The minimiser x of ‖A·x − b‖, b one column: R and x of [A·D⁻¹ | b] by Householder QR, then
/// x ← x + D⁻¹·R⁻¹·R⁻ᵀ·D⁻¹·Aᵀ(b − A·x), where residual, gradient and x are long doubles. Each
/// step takes the error down by about eps·condition(A·D⁻¹), to 11 bits below what double
/// precision allows (on x86). Beyond 1.5e11 for n·d² conjugate gradients stand in for R.
RefinedSolution refined_least_squares(const RowMatrix& A, ConstView b, ThreadTeam& team);

}  // namespace polyak
