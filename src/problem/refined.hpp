#pragma once

// Least squares to more than working precision: what others' answers are measured by.

#include <vector>

#include "polyak/row_matrix.hpp"
#include "polyak/types.hpp"

namespace polyak {

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
