#include "problem/least_norm.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/svd.hpp"
#include "problem/least_squares.hpp"

namespace polyak {
namespace {

// D·N without the intercept. Entries of N at the level of rounding belong to columns that take no
// part in a dependence: units far apart would make them the largest.
Buffer null_space_in_units(const std::vector<double>& units, ConstView N, Index rows) {
  const double rounding = 64.0 * rank_threshold(N.rows, N.rows);
  Buffer out(rows, N.cols);
  for (Index k = 0; k < N.cols; ++k) {
    double largest = 0.0;
    for (Index j = 0; j < N.rows; ++j) largest = std::max(largest, std::abs(N(j, k)));
    for (Index j = 0; j < rows; ++j)
      if (std::abs(N(j, k)) > rounding * largest) out.view()(j, k) = units[to_size(j)] * N(j, k);
  }
  return out;
}

}  // namespace

std::optional<Buffer> steps_to_shortest(const ColumnMap& map, ConstView N, ConstView x) {
  const Index d = x.cols, rows = d - (map.ones ? 1 : 0);
  Buffer DN = null_space_in_units(map.units, N, rows), y(x.rows, std::max(rows, N.cols));
  for (Index c = 0; c < x.rows; ++c)
    for (Index j = 0; j < rows; ++j) y.view()(c, j) = -map.units[to_size(j)] * x(c, j);
  if (!least_squares_svd(DN.view(), y.view(), rank_threshold(rows, N.cols)).ok) return std::nullopt;
  Buffer steps(x.rows, d);
  for (Index c = 0; c < x.rows; ++c)
    for (Index j = 0; j < d; ++j)
      for (Index k = 0; k < N.cols; ++k) steps.view()(c, j) += N(j, k) * y.view()(c, k);
  return steps;
}

}  // namespace polyak
