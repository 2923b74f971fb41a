#include "method/least_norm.hpp"

#include <algorithm>

#include "linalg/svd.hpp"
#include "matrix/column_map.hpp"
#include "problem/least_squares.hpp"

namespace polyak {

void shorten(const Setting& setting, ConstView N, View x) {
  const MappedMatrix* mapped = as_mapped(setting.problem.A());
  if (!mapped || N.cols == 0) return;
  const auto& units = mapped->map().units;
  const Index rows = x.cols - (mapped->map().ones ? 1 : 0);
  Buffer DN(rows, N.cols), y(x.rows, std::max(rows, N.cols));
  for (Index j = 0; j < rows; ++j)
    for (Index k = 0; k < N.cols; ++k) DN.view()(j, k) = units[to_size(j)] * N(j, k);
  for (Index c = 0; c < x.rows; ++c)
    for (Index j = 0; j < rows; ++j) y.view()(c, j) = -units[to_size(j)] * x(c, j);
  if (!least_squares_svd(DN.view(), y.view(), rank_threshold(rows, N.cols)).ok) return;
  for (Index c = 0; c < x.rows; ++c)
    for (Index j = 0; j < x.cols; ++j)
      for (Index k = 0; k < N.cols; ++k) x(c, j) += N(j, k) * y.view()(c, k);
}

}  // namespace polyak
