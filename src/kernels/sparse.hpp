#pragma once

// The same operations for CSR, as reference.hpp has them, with the rows to come
// prefetched. Their cost is the scattered reads of x and g, which vector
// gathers do not make cheaper (docs/performance.md).

#include "kernels/reference.hpp"

namespace polyak::kernels {

/// Rows of a CSR matrix where they lie: row i is [start[i], start[i+1]).
template <class Value, class Column>
struct SparseBlock {
  const Index* start;
  const Column* columns;
  const Value* values;
  Index d;

  SparseRow<Value, Column> row(Index i) const {
    return {values + start[i], columns + start[i], start[i + 1] - start[i], d};
  }
};

/// The lines of a row, into the second cache (as in dense.cpp).
template <class Value, class Column>
void prefetch(const SparseRow<Value, Column>& row) {
  constexpr Index line = 64, most = 16;  // the hardware follows longer rows by itself
  const auto fetch = [](const auto* first, Index count) {
    constexpr Index step = line / static_cast<Index>(sizeof(*first));
    for (Index k = 0; k < std::min(count, most * step); k += step)
      __builtin_prefetch(first + k, 0, 2);
    if (count > 0) __builtin_prefetch(first + count - 1, 0, 2);
  };
  fetch(row.a, row.count);
  fetch(row.col, row.count);
}

/// Rows of a list are asked for before their turn, and where they start before
/// that.
template <class Value, class Column>
class SparseLookAhead {
 public:
  SparseLookAhead(const SparseBlock<Value, Column>& A, const RowList& rows)
      : A_(A), rows_(rows), last_(rows.index ? rows.count : 0) {
    for (Index t = 0; t < std::min(2 * ahead, last_); ++t) starts(t);
    for (Index t = 0; t < std::min(ahead, last_); ++t) prefetch(A_.row(rows_.index[t]));
  }
  void at(Index t) const {
    if (t + 2 * ahead < last_) starts(t + 2 * ahead);
    if (t + ahead < last_) prefetch(A_.row(rows_.index[t + ahead]));
  }

 private:
  static constexpr Index ahead = 8;
  void starts(Index t) const { __builtin_prefetch(A_.start + rows_.index[t]); }

  const SparseBlock<Value, Column>& A_;
  const RowList& rows_;
  Index last_;
};

/// The dot products of some rows before any of them is added to g: the first
/// then need not wait for each other.
template <class Value, class Column>
void gradient(const SparseBlock<Value, Column>& A, const RowList& rows, double scale_a,
              double scale_b, ConstView x, ConstView b, View g, double* residual2) {
  constexpr Index group = 4;
  const SparseLookAhead coming(A, rows);
  double s[group];
  for (Index t = 0; t < rows.count; t += group) {
    const Index size = std::min(group, rows.count - t);
    for (Index i = 0; i < size; ++i) coming.at(t + i);
    for (Index c = 0; c < x.rows; ++c) {
      for (Index i = 0; i < size; ++i) {
        const Index row = rows.row(t + i);
        const double r = scale_b * (A.row(row).dot(x.row(c)) - b(row, c)), w = rows.weight(t + i);
        if (residual2) residual2[c] += w * r * r;
        s[i] = w * r * scale_a;
      }
      for (Index i = 0; i < size; ++i) A.row(rows.row(t + i)).add_to(s[i], g.row(c));
    }
  }
}
template <class Value, class Column>
void multiply(const SparseBlock<Value, Column>& A, ConstView x, View y) {
  reference::multiply([&](Index i) { return A.row(i); }, x, y);
}
template <class Value, class Column>
void add_transposed(const SparseBlock<Value, Column>& A, ConstView y, View g) {
  reference::add_transposed([&](Index i) { return A.row(i); }, y, g);
}
template <class Value, class Column>
void kaczmarz(const SparseBlock<Value, Column>& A, const RowList& rows, double scale, ConstView b,
              View x) {
  const SparseLookAhead coming(A, rows);
  Index t = 0;
  const auto row_at = [&](Index i) {
    coming.at(t++);
    return A.row(i);
  };
  reference::kaczmarz(row_at, rows, scale, b, x);
}
template <class Value, class Column>
void norms(const SparseBlock<Value, Column>& A, Index count, double scale, double* row_norms2,
           double* column_norms2) {
  reference::norms([&](Index i) { return A.row(i); }, count, scale, row_norms2, column_norms2);
}

}  // namespace polyak::kernels
