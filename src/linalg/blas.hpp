#pragma once

// Products, triangular solves and norms on row-major data. R always means an upper
// triangular matrix; the entries below its diagonal are neither read nor written.

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/types.hpp"

namespace polyak::internal {

enum class Transpose { no, yes };

/// C = alpha·op(A)·op(B) + beta·C; with beta = 0 the old C is not read.
void gemm(double alpha, ConstView A, Transpose transpose_a, ConstView B, Transpose transpose_b,
          double beta, View C);

/// H += rowsᵀ·rows, only the upper triangle with the diagonal; see copy_upper_to_lower. The
/// rows may be split over several calls; the same bits need the same split.
void add_gram(ConstView rows, View H);

/// Makes H symmetric from its upper triangle.
void copy_upper_to_lower(View H);

/// B ← B·R⁻¹, or B·R⁻ᵀ with `transpose`. Each row of B is solved independently.
void solve_right(ConstView R, View B, Transpose transpose = Transpose::no);

/// B ← R⁻¹·B, or R⁻ᵀ·B with `transpose`.
void solve_left(ConstView R, View B, Transpose transpose = Transpose::no);

/// ‖v‖, summed in the order of the entries; the squares must neither overflow nor underflow.
inline double norm(const double* v, Index count) {
  double sum = 0.0;
  for (Index j = 0; j < count; ++j) sum += v[j] * v[j];
  return std::sqrt(sum);
}

/// ‖v‖ without overflow or underflow: v is divided by its largest |v_j| first. NaN when an
/// entry is not finite.
inline double norm_of_any_size(const double* v, Index count) {
  double largest = 0.0;
  for (Index j = 0; j < count; ++j) {
    if (!std::isfinite(v[j])) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(v[j]));
  }
  if (largest == 0.0) return 0.0;
  double sum = 0.0;
  for (Index j = 0; j < count; ++j) sum += (v[j] / largest) * (v[j] / largest);
  return largest * std::sqrt(sum);
}

}  // namespace polyak::internal
