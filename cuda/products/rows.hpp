#pragma once

// Rows in device memory, and the sums over them. Internal.

#include <cstdint>

#include "cuda/products/gram_cut.hpp"

namespace polyak::cuda {

#if defined(__CUDACC__)
template <class Value>
struct PairOf;
template <>
struct PairOf<double> {
  using Type = double2;
};
template <>
struct PairOf<float> {
  using Type = float2;
};
#endif

/// Row i of a dense A starts at values + i·stride.
template <class Value>
struct DenseStorage {
  const Value* values;
  Index n, d, stride;
};

/// A by rows and, for sums over rows in a fixed order, by columns as well. `shift` is null or d
/// numbers that every row has in addition; d may be one more than the stored columns.
template <class Value>
struct SparseStorage {
  Index n, d, stored_columns, entries;
  const Index* starts;  // n + 1
  const std::int32_t* columns;
  const Value* values;
  const Index* column_starts;  // stored_columns + 1
  const std::int32_t* rows;    // of the entries by columns
  const Value* transposed;
  const Index* piece_starts;         // stored_columns + 1: pieces of each column
  const std::int32_t* piece_column;  // of each piece
  Index pieces;
  const double* shift;
};

/// Terms of a sum over rows t: r_t = scale_r·(a_tᵀx − b_t), which counts w_t times.
struct Terms {
  Index count;
  const Index* rows;      // null: all rows in order
  const double* weights;  // of place t with a list, of row t without; null: 1
  const double* b;        // of row i; null: 0
  const double* x;
  double scale_a, scale_r;
};

// Entries of a piece of a column: one warp sums so many.
constexpr Index piece_entries = 2048;

/// Doubles of room for a sum over `count` dense rows.
Index dense_scratch(Index count, Index d);

/// g = Σ w_t·scale_a·r_t·a_t and residual2[0] = Σ w_t·r_t² (device memory).
template <class Value>
void gradient(const DenseStorage<Value>& A, const Terms& terms, double* scratch, double* g,
              double* residual2);
/// y_i = factor_i·a_iᵀx, factor_i = scale_a·√w_i.
template <class Value>
void multiply(const DenseStorage<Value>& A, const double* x, const double* weights, double scale_a,
              double* y);
/// g = Σ y_i·a_i.
template <class Value>
void add_rows(const DenseStorage<Value>& A, const double* y, double* scratch, double* g);

/// The same for all rows of at most `max_pass_columns` columns, each row read once. Room:
/// pass_scratch(d) doubles.
constexpr Index max_pass_columns = 1024, max_pass_blocks = 2048;
constexpr Index pass_scratch(Index d) { return max_pass_blocks * (d + 1); }
template <class Value>
void pass_gradient(const DenseStorage<Value>& A, const Terms& terms, double* scratch, double* g,
                   double* residual2);
template <class Value>
void pass_multiply(const DenseStorage<Value>& A, const double* x, const double* weights,
                   double scale_a, double* y);
template <class Value>
void pass_sum(const DenseStorage<Value>& A, const double* y, double* scratch, double* g);

/// g_j = Σ over parts of d + 1 numbers each, in a fixed order; the last number to residual2.
void add_parts(Index parts, Index d, const double* from, double* g, double* residual2);

/// Squared norms of the rows times `scale`, in other units where `units` is not null, with the
/// bits of the CPU; out in device memory.
template <class Value>
void row_norms(const DenseStorage<Value>& A, const double* units, double scale, double* out);
/// The same of the columns, rows times √weights where these are not null, summed in `chunks`
/// chunks of rows. Room: chunks·d numbers.
template <class Value>
void column_norms(const DenseStorage<Value>& A, const double* units, const double* weights,
                  double scale, Index chunks, double* parts, double* out);

/// lost[0] = 1 where unit_j·a_ij is not exact in Value.
template <class Value>
void find_lost_entries(const DenseStorage<Value>& A, const double* units, int* lost);
/// values = unit_j·a_ij, `values` being those of A.
template <class Value>
void scale_columns(Value* values, const DenseStorage<Value>& A, const double* units);

/// H = Σ f_i²[a_i b_i]ᵀ[a_i b_i], f_i = scale·√weights_i, weights null: scale; `sides` columns of
/// b. All pointers in device memory, H has both triangles.
template <class Value>
void gram(const DenseStorage<Value>& A, const double* b, Index sides, const double* weights,
          double scale, const GramCut& cut, double* parts, double* H);

/// Room of the sums below: numbers of rows, and partial sums.
struct SparseRoom {
  double* of_rows;     // n
  double* of_squares;  // n
  double* parts;       // sparse_scratch()
  double* scalars;     // 2
};
template <class Value>
Index sparse_scratch(const SparseStorage<Value>& A);

template <class Value>
void gradient(const SparseStorage<Value>& A, const Terms& terms, const SparseRoom& room, double* g,
              double* residual2);
template <class Value>
void multiply(const SparseStorage<Value>& A, const double* x, const double* weights, double scale_a,
              const SparseRoom& room, double* y);
template <class Value>
void add_rows(const SparseStorage<Value>& A, const double* y, const SparseRoom& room, double* g);

/// Single steps in order: x = x − steps_t·(scale·(a_tᵀx − b_t))·(scale·a_t), then the bounds.
struct RowSteps {
  Index count;
  const Index* rows;
  const double* steps;
  double scale;
  const double *b, *lower, *upper;  // bounds null: none
  double* x;
};
template <class Value>
void row_steps(const DenseStorage<Value>& A, const RowSteps& run);
template <class Value>
void row_steps(const SparseStorage<Value>& A, const RowSteps& run);

}  // namespace polyak::cuda
