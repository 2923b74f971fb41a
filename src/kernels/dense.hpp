#pragma once

// The dense kernels in vector instructions. They follow the definition in reference.hpp
// operation by operation (eight running sums, fused multiply-add), so that every target gives
// the same bits as plain code.
//
// Bytes moved: each row once from memory. Short rows stay in registers between the dot
// product and the sum, and so does g; longer ones are used in groups that stay in cache,
// while x and g are read once per group. The next rows of a list are prefetched.

#include "kernels/reference.hpp"

namespace polyak::internal::kernels {

/// Rows of a dense matrix: row i starts at data + i·stride.
template <class Value>
struct DenseBlock {
  const Value* data;
  Index stride;
  Index d;
};

/// For each listed row i and each right-hand side c: r = scale_b·(a_iᵀx_c − b_ic);
/// g_c += w·r·scale_a·a_i; and residual2[c] += w·r² unless residual2 is null.
template <class Value>
void gradient(const DenseBlock<Value>& A, const RowList& rows, double scale_a, double scale_b,
              ConstView x, ConstView b, View g, double* residual2);

// Whether gradients of ranges prefetch rows as well. Some processors need that to read at the
// speed of memory (94 % of it against 72 %), on others their own prefetch is better (101 %
// against 84 %). It changes no bit.
bool range_prefetch_in_use();
/// Measures which is faster, once per process, for 5 ms; the first large range does so.
bool choose_range_prefetch();
/// A choice without measurement.
void use_range_prefetch(bool use);

/// y(t, c) = a_tᵀx_c for the first y.rows rows.
template <class Value>
void multiply(const DenseBlock<Value>& A, ConstView x, View y);

/// g_c += Σ_t y(t, c)·a_t over the first y.rows rows.
template <class Value>
void add_transposed(const DenseBlock<Value>& A, ConstView y, View g);

/// For each listed row, one after the other: x_c −= (w·scale)·(a_iᵀx_c − b_ic)·(scale·a_i).
template <class Value>
void kaczmarz(const DenseBlock<Value>& A, const RowList& rows, double scale, ConstView b, View x);

/// row_norms2[t] = ‖scale·a_t‖² of the first `count` rows and, unless null,
/// column_norms2[j] += (scale·a_tj)²; none underflows to zero (reference.hpp).
template <class Value>
void norms(const DenseBlock<Value>& A, Index count, double scale, double* row_norms2,
           double* column_norms2);

// Updates of whole vectors, with the bits of the formulas as written.

/// previous = (x − alpha·g) + beta·(x − previous), entry by entry.
void heavy_ball_step(Index count, double alpha, double beta, const double* x, const double* g,
                     double* previous);

/// previous = x + beta·(x − previous).
void extrapolate(Index count, double beta, const double* x, double* previous);

/// x = x − alpha·g.
void gradient_step(Index count, double alpha, const double* g, double* x);

}  // namespace polyak::internal::kernels
