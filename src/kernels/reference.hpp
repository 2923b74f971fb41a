#pragma once

// The inner loops in plain code: they define the result, and faster kernels are tested
// against them.
//
// A dot product keeps eight running sums, element j being added to sum j mod 8, and adds
// these in a fixed order. Vector units of any width can follow this definition, and its
// error is bounded by (d/8 + 3)·u·Σ|a_j x_j|. Dense rows add each product with one rounding
// (fused multiply-add, which every vector unit served here and every GPU has). Sparse rows
// and squares round the product first: their time is the memory's, and code for any
// processor would call a function for each fused operation.
//
// Storage may be float; arithmetic is always double. Bytes moved: one read of the row per
// call; x and g stay in cache.

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/types.hpp"

namespace polyak::internal::kernels {

/// A list of `count` rows: those of `index`, or the first ones if it is null. The weights
/// are 1 if `weights` is null.
struct RowList {
  Index count;
  const Index* index;
  const double* weights;

  Index row(Index t) const { return index ? index[t] : t; }
  double weight(Index t) const { return weights ? weights[t] : 1.0; }
};

constexpr Index lanes = 8;

inline double sum_lanes(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// Σ term(j) for j = 0 .. count-1, in the order defined above.
template <class Term>
double lane_sum(Index count, Term term) {
  double s[lanes] = {};
  Index j = 0;
  for (; j + lanes <= count; j += lanes)
    for (Index l = 0; l < lanes; ++l) s[l] += term(j + l);
  switch (count - j) {  // without a loop, so that the sums of short rows stay in registers
    case 7: s[6] += term(j + 6); [[fallthrough]];
    case 6: s[5] += term(j + 5); [[fallthrough]];
    case 5: s[4] += term(j + 4); [[fallthrough]];
    case 4: s[3] += term(j + 3); [[fallthrough]];
    case 3: s[2] += term(j + 2); [[fallthrough]];
    case 2: s[1] += term(j + 1); [[fallthrough]];
    case 1: s[0] += term(j); break;
    default: break;
  }
  return sum_lanes(s);
}

/// Σ a_j·x_j in the same order, each product added with one rounding.
template <class Value>
double fused_dot(Index count, const Value* a, const double* x) {
  double s[lanes] = {};
  for (Index j = 0; j < count; ++j)
    s[j % lanes] = std::fma(static_cast<double>(a[j]), x[j], s[j % lanes]);
  return sum_lanes(s);
}

/// (scale·v)², at least the smallest normal double unless v is zero: a column that is not
/// zero has a norm that is not zero.
template <class Value>
double visible_square(Value v, double scale) {
  const double s = scale * static_cast<double>(v);
  const double square = s * s;
  return square < std::numeric_limits<double>::min() && v != Value{0}
             ? std::numeric_limits<double>::min()
             : square;
}

/// `sum`, the sum of squares of v; at least the smallest normal double unless all v are zero.
template <class Value>
double visible_norm2(double sum, const Value* v, Index count) {
  if (!(sum < std::numeric_limits<double>::min())) return sum;
  const bool nonzero = std::any_of(v, v + count, [](Value a) { return a != Value{0}; });
  return nonzero ? std::numeric_limits<double>::min() : 0.0;
}

/// Σ (scale·v)², at least the smallest normal double unless all v are zero; not finite if
/// one of the values is not.
template <class Value>
double norm2(const Value* v, Index count, double scale) {
  const double sum = lane_sum(count, [&](Index j) {
    const double s = scale * static_cast<double>(v[j]);
    return s * s;
  });
  return visible_norm2(sum, v, count);
}

/// max |v|; NaN if one of the values is NaN.
template <class Value>
double max_abs(const Value* v, Index count) {
  double largest = 0.0;
  for (Index j = 0; j < count; ++j) {
    const double a = std::abs(static_cast<double>(v[j]));
    if (std::isnan(a)) return a;
    largest = std::max(largest, a);
  }
  return largest;
}

/// A dense row in the memory of its matrix.
template <class Value>
struct DenseRow {
  const Value* a;
  Index d;

  double dot(const double* x) const { return fused_dot(d, a, x); }
  void add_to(double c, double* g) const {  // g += c·a
    for (Index j = 0; j < d; ++j) g[j] = std::fma(c, static_cast<double>(a[j]), g[j]);
  }
  void add_scaled_to(double c, double scale, double* g) const {  // g += c·(scale·a)
    for (Index j = 0; j < d; ++j) g[j] = std::fma(c, scale * static_cast<double>(a[j]), g[j]);
  }
  void add_squares(double scale, double* sums) const {
    for (Index j = 0; j < d; ++j) sums[j] += visible_square(a[j], scale);
  }
  void copy(double* out) const {
    for (Index j = 0; j < d; ++j) out[j] = static_cast<double>(a[j]);
  }
  const Value* values() const { return a; }
  Index stored() const { return d; }
};

/// A sparse row in the memory of its matrix: ascending columns, none twice.
template <class Value, class Column>
struct SparseRow {
  const Value* a;
  const Column* col;
  Index count;
  Index d;

  double dot(const double* x) const {
    return lane_sum(count, [&](Index j) { return static_cast<double>(a[j]) * x[col[j]]; });
  }
  void add_to(double c, double* g) const {
    for (Index j = 0; j < count; ++j) g[col[j]] += c * static_cast<double>(a[j]);
  }
  void add_scaled_to(double c, double scale, double* g) const {
    for (Index j = 0; j < count; ++j) g[col[j]] += c * (scale * static_cast<double>(a[j]));
  }
  void add_squares(double scale, double* sums) const {
    for (Index j = 0; j < count; ++j) sums[col[j]] += visible_square(a[j], scale);
  }
  void clamp(const double* lower, const double* upper, double* x) const {
    for (Index j = 0; j < count; ++j)
      x[col[j]] = std::clamp(x[col[j]], lower[col[j]], upper[col[j]]);
  }
  void copy(double* out) const {
    std::fill(out, out + d, 0.0);
    for (Index j = 0; j < count; ++j) out[col[j]] = static_cast<double>(a[j]);
  }
  const Value* values() const { return a; }
  Index stored() const { return count; }
};

/// The residual of a row. Where the weight is 0 it is 0 too: such a row takes no part in any sum,
/// however large its numbers are (a fill value may be the largest double).
inline double residual(double weight, double scale_b, double product, double b) {
  return weight == 0.0 ? 0.0 : scale_b * (product - b);
}

/// The operations of a matrix given row_at(i), which is one of the rows above. Each row is
/// read once for all right-hand sides.
namespace reference {

template <class RowAt>
void gradient(RowAt row_at, const RowList& rows, double scale_a, double scale_b, ConstView x,
              ConstView b, View g, double* residual2) {
  for (Index t = 0; t < rows.count; ++t) {
    const auto a = row_at(rows.row(t));
    for (Index c = 0; c < x.rows; ++c) {
      const double w = rows.weight(t);
      const double r = residual(w, scale_b, a.dot(x.row(c)), b(rows.row(t), c));
      if (residual2) residual2[c] += w * r * r;
      a.add_to(w * r * scale_a, g.row(c));
    }
  }
}

template <class RowAt>
void multiply(RowAt row_at, ConstView x, View y) {
  for (Index t = 0; t < y.rows; ++t) {
    const auto a = row_at(t);
    for (Index c = 0; c < x.rows; ++c) y(t, c) = a.dot(x.row(c));
  }
}

template <class RowAt>
void add_transposed(RowAt row_at, ConstView y, View g) {
  for (Index t = 0; t < y.rows; ++t) {
    const auto a = row_at(t);
    for (Index c = 0; c < g.rows; ++c) a.add_to(y(t, c), g.row(c));
  }
}

template <class RowAt>
void kaczmarz(RowAt row_at, const RowList& rows, double scale, ConstView b, View x) {
  for (Index t = 0; t < rows.count; ++t) {
    const auto a = row_at(rows.row(t));
    for (Index c = 0; c < x.rows; ++c) {
      const double r = a.dot(x.row(c)) - b(rows.row(t), c);
      a.add_scaled_to(-rows.weight(t) * (scale * r), scale, x.row(c));
    }
  }
}

/// A row whose steps respect bounds: the changed entries of x are clamped.
template <class Row>
struct BoundedRow {
  Row a;
  const double *lower, *upper;

  double dot(const double* x) const { return a.dot(x); }
  void add_scaled_to(double c, double scale, double* g) const {
    a.add_scaled_to(c, scale, g);
    a.clamp(lower, upper, g);
  }
};
template <class Row>
BoundedRow(Row, const double*, const double*) -> BoundedRow<Row>;

template <class RowAt>
void norms(RowAt row_at, Index count, double scale, double* row_norms2, double* column_norms2) {
  for (Index t = 0; t < count; ++t) {
    const auto a = row_at(t);
    row_norms2[t] = norm2(a.values(), a.stored(), scale);
    if (column_norms2) a.add_squares(scale, column_norms2);
  }
}

}  // namespace reference

}  // namespace polyak::internal::kernels
