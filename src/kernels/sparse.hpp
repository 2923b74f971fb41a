#pragma once

// The operations of reference.hpp for CSR, with prefetch of the entries of later rows: while x
// and g are read at scattered places, the processor's own prefetch of the entries falls behind.
// Vector gathers do not make them faster (docs/performance.md).

#include "kernels/reference.hpp"

namespace polyak::internal::kernels {

/// Rows of a CSR matrix: the entries of row i are [start[i], start[i+1]).
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

/// Prefetches the cache lines of a row into the second-level cache (as in dense.cpp).
template <class Value, class Column>
void prefetch(const SparseRow<Value, Column>& row) {
  constexpr Index line = 64, max_lines = 16;  // the hardware prefetches the rest of longer rows
  const auto fetch = [](const auto* first, Index count) {
    constexpr Index step = line / static_cast<Index>(sizeof(*first));
    for (Index k = 0; k < std::min(count, max_lines * step); k += step)
      __builtin_prefetch(first + k, 0, 2);
    if (count > 0) __builtin_prefetch(first + count - 1, 0, 2);
  };
  fetch(row.a, row.count);
  fetch(row.col, row.count);
}

/// Prefetches the rows of a list `ahead` positions before their use, and their starts
/// 2·`ahead` positions before it.
template <class Value, class Column>
class SparsePrefetcher {
 public:
  SparsePrefetcher(const SparseBlock<Value, Column>& A, const RowList& rows)
      : A_(A), rows_(rows), last_(rows.index ? rows.count : 0) {
    for (Index t = 0; t < std::min(2 * ahead, last_); ++t) prefetch_start(t);
    for (Index t = 0; t < std::min(ahead, last_); ++t) prefetch(A_.row(rows_.index[t]));
  }
  /// Call it when row t of the list is used.
  void at(Index t) const {
    if (t + 2 * ahead < last_) prefetch_start(t + 2 * ahead);
    if (t + ahead < last_) prefetch(A_.row(rows_.index[t + ahead]));
  }

 private:
  static constexpr Index ahead = 8;
  void prefetch_start(Index t) const { __builtin_prefetch(A_.start + rows_.index[t]); }

  const SparseBlock<Value, Column>& A_;
  const RowList& rows_;
  Index last_;
};

/// The rows of a range, one after the other. When a row is used, as many entries as it has are
/// prefetched `ahead` entries later.
template <class Value, class Column>
class SparseRange {
 public:
  SparseRange(const SparseBlock<Value, Column>& A, Index count)
      : A_(A), end_(count > 0 ? A.start[count] : 0) {}

  SparseRow<Value, Column> operator()(Index i) const {
    constexpr Index ahead = 512;  // from 256 to 4096 all take about as long
    const Index first = A_.start[i] + ahead, last = std::min(A_.start[i + 1] + ahead, end_);
    fetch(A_.values, first, last);
    fetch(A_.columns, first, last);
    return A_.row(i);
  }

 private:
  template <class T>
  static void fetch(const T* entries, Index first, Index last) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(T));
    for (Index k = first; k < last; k += line) __builtin_prefetch(entries + k);
  }

  const SparseBlock<Value, Column>& A_;
  Index end_;
};

/// A list: computes the dot products of a group of rows before it adds any of them to g, since a
/// dot product then does not wait for the sum of the row before.
template <class Value, class Column>
void listed_gradient(const SparseBlock<Value, Column>& A, const RowList& rows, double scale_a,
                     double scale_b, ConstView x, ConstView b, View g, double* residual2) {
  constexpr Index group = 4;
  const SparsePrefetcher prefetcher(A, rows);
  double s[group];
  for (Index t = 0; t < rows.count; t += group) {
    const Index size = std::min(group, rows.count - t);
    for (Index i = 0; i < size; ++i) prefetcher.at(t + i);
    for (Index c = 0; c < x.rows; ++c) {
      for (Index i = 0; i < size; ++i) {
        const Index row = rows.row(t + i);
        const double w = rows.weight(t + i);
        const double r = residual(w, scale_b, A.row(row).dot(x.row(c)), b(row, c));
        if (residual2) residual2[c] += w * r * r;
        s[i] = w * r * scale_a;
      }
      for (Index i = 0; i < size; ++i) A.row(rows.row(t + i)).add_to(s[i], g.row(c));
    }
  }
}

template <class Value, class Column>
void gradient(const SparseBlock<Value, Column>& A, const RowList& rows, double scale_a,
              double scale_b, ConstView x, ConstView b, View g, double* residual2) {
  if (rows.index)
    listed_gradient(A, rows, scale_a, scale_b, x, b, g, residual2);
  else
    reference::gradient(SparseRange(A, rows.count), rows, scale_a, scale_b, x, b, g, residual2);
}
template <class Value, class Column>
void multiply(const SparseBlock<Value, Column>& A, ConstView x, View y) {
  reference::multiply(SparseRange(A, y.rows), x, y);
}
template <class Value, class Column>
void add_transposed(const SparseBlock<Value, Column>& A, ConstView y, View g) {
  reference::add_transposed(SparseRange(A, y.rows), y, g);
}
template <class Value, class Column>
void kaczmarz(const SparseBlock<Value, Column>& A, const RowList& rows, double scale, ConstView b,
              View x) {
  const SparsePrefetcher prefetcher(A, rows);
  Index t = 0;
  const auto row_at = [&](Index i) {
    prefetcher.at(t++);
    return A.row(i);
  };
  reference::kaczmarz(row_at, rows, scale, b, x);
}
template <class Value, class Column>
void norms(const SparseBlock<Value, Column>& A, Index count, double scale, double* row_norms2,
           double* column_norms2) {
  reference::norms(SparseRange(A, count), count, scale, row_norms2, column_norms2);
}

}  // namespace polyak::internal::kernels
