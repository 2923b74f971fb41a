#pragma once

// Products and triangular solves on row-major views. R always means an upper
// triangular matrix; what lies below its diagonal is neither read nor written.

#include "polyak/types.hpp"

namespace polyak {

enum class Transpose { no, yes };

/// C = alpha·op(A)·op(B) + beta·C; with beta = 0 the old C is not read.
void gemm(double alpha, ConstView A, Transpose transpose_a, ConstView B, Transpose transpose_b,
          double beta, View C);

/// H += rowsᵀ·rows, the upper triangle (with the diagonal) only; see
/// copy_upper_to_lower. Split the rows as you like, but always alike.
void add_gram(ConstView rows, View H);

/// Makes H symmetric from its upper triangle.
void copy_upper_to_lower(View H);

/// B ← B·R⁻¹, or B·R⁻ᵀ with `transpose`. Each row of B is solved alone.
void solve_right(ConstView R, View B, Transpose transpose = Transpose::no);

/// B ← R⁻¹·B, or R⁻ᵀ·B with `transpose`.
void solve_left(ConstView R, View B, Transpose transpose = Transpose::no);

}  // namespace polyak
