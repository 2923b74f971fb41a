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

template <class Value, class Column>
void prefetch(const SparseRow<Value, Column>& row) {
  constexpr Index line = 64, most = 16;  // the hardware follows longer rows by itself
  const auto fetch = [](const auto* first, const auto* last) {
    constexpr Index step = line / static_cast<Index>(sizeof(*first));
    for (Index k = 0; k < most && first + k * step < last; ++k)
      __builtin_prefetch(first + k * step);
  };
  fetch(row.a, row.a + row.count);
  fetch(row.col, row.col + row.count);
}

/// Looks ahead of row t in a list.
template <class Value, class Column>
void look_ahead(const SparseBlock<Value, Column>& A, const RowList& rows, Index t) {
  constexpr Index ahead = 8;
  if (!rows.index || t + 2 * ahead >= rows.count) return;
  __builtin_prefetch(A.start + rows.index[t + 2 * ahead]);
  prefetch(A.row(rows.index[t + ahead]));
}

/// The dot products of some rows before any of them is added to g: the first
/// then need not wait for each other.
template <class Value, class Column>
void gradient(const SparseBlock<Value, Column>& A, const RowList& rows, double scale_a,
              double scale_b, ConstView x, ConstView b, View g, double* residual2) {
  constexpr Index group = 4;
  double s[group];
  for (Index t = 0; t < rows.count; t += group) {
    const Index size = std::min(group, rows.count - t);
    for (Index i = 0; i < size; ++i) look_ahead(A, rows, t + i);
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
  Index t = 0;
  const auto row_at = [&](Index i) {
    look_ahead(A, rows, t++);
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
