#pragma once

// The inner loops, written plainly: they are the definition of the result that
// any faster kernel is tested against.
//
// A dot product keeps eight running sums, element j going to sum j mod 8, and
// adds them as a fixed tree. That is a definition vector units of any width
// can follow, and its error is bounded by (d/8 + 3)·u·Σ|a_j x_j|.
//
// Storage may be float; arithmetic is always double. Bytes moved: one read of
// the row per call; x and g stay in cache.

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/types.hpp"

namespace polyak::kernels {

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
  for (Index l = 0; j + l < count; ++l) s[l] += term(j + l);
  return sum_lanes(s);
}

/// (scale·v)², at least the smallest normal double unless v is zero: what is
/// there never vanishes from a sum.
template <class Value>
double visible_square(Value v, double scale) {
  const double s = scale * static_cast<double>(v);
  const double square = s * s;
  return square < std::numeric_limits<double>::min() && v != Value{0}
             ? std::numeric_limits<double>::min()
             : square;
}

/// Σ (scale·v)², at least the smallest normal double unless all v are zero.
/// NaN and Inf among the values come out as a non-finite sum.
template <class Value>
double norm2(const Value* v, Index count, double scale) {
  const double sum = lane_sum(count, [&](Index j) {
    const double s = scale * static_cast<double>(v[j]);
    return s * s;
  });
  if (!(sum < std::numeric_limits<double>::min())) return sum;
  const bool nonzero = std::any_of(v, v + count, [](Value a) { return a != Value{0}; });
  return nonzero ? std::numeric_limits<double>::min() : 0.0;
}

/// max |v|; NaN if there is one.
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

/// A dense row where it lies.
template <class Value>
struct DenseRow {
  const Value* a;
  Index d;

  double dot(const double* x) const {
    return lane_sum(d, [&](Index j) { return static_cast<double>(a[j]) * x[j]; });
  }
  void add_to(double c, double* g) const {  // g += c·a
    for (Index j = 0; j < d; ++j) g[j] += c * static_cast<double>(a[j]);
  }
  void add_scaled_to(double c, double scale, double* g) const {  // g += c·(scale·a)
    for (Index j = 0; j < d; ++j) g[j] += c * (scale * static_cast<double>(a[j]));
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

/// A sparse row where it lies: ascending columns, no repeats.
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
  void copy(double* out) const {
    std::fill(out, out + d, 0.0);
    for (Index j = 0; j < count; ++j) out[col[j]] = static_cast<double>(a[j]);
  }
  const Value* values() const { return a; }
  Index stored() const { return count; }
};

}  // namespace polyak::kernels
