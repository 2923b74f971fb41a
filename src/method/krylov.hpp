#pragma once

// What the two Krylov methods share: vectors of length n for each right-hand
// side, with sums of a fixed shape.

#include <algorithm>
#include <cmath>
#include <vector>

#include "method/method.hpp"

namespace polyak {

/// Σ_i y(i, c)² for each right-hand side.
inline std::vector<double> column_squares(Products& products, ConstView y) {
  std::vector<double> out(to_size(y.cols));
  for (Index c = 0; c < y.cols; ++c) {
    out[to_size(c)] = products.row_sum([&](Index first, Index last) {
      double sum = 0.0;
      for (Index i = first; i < last; ++i) sum += y(i, c) * y(i, c);
      return sum;
    });
  }
  return out;
}

/// r = √W(b̃ − Ãx̃) for x in the user's units.
inline void start_residual(const Setting& setting, ConstView x, View r) {
  const Problem& problem = setting.problem;
  const Scale scale = setting.facts.scale;
  setting.products.multiply(x, r);  // √W·scale.a·Ax
  setting.products.for_row_chunks([&](Index, Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double root =
          problem.weights().empty() ? 1.0 : std::sqrt(problem.weights()[to_size(i)]);
      for (Index c = 0; c < r.cols; ++c)
        r(i, c) = scale.b * (root * problem.b()(i, c) - r(i, c) / scale.a);
    }
  });
}

/// Of n × c numbers each rank knows those of its rows; then all of them.
inline void gather_rows(const RowMatrix& A, Index columns, std::vector<double>& v) {
  const Share own = A.share();
  if (own.ranks == 1) return;
  std::fill(v.begin(), v.begin() + own.first * columns, 0.0);
  std::fill(v.begin() + (own.first + own.rows->rows()) * columns, v.end(), 0.0);
  A.complete(v);
}

/// vᵀv of one vector of length d.
inline double squares(const double* v, Index d) {
  double sum = 0.0;
  for (Index j = 0; j < d; ++j) sum += v[j] * v[j];
  return sum;
}

}  // namespace polyak
