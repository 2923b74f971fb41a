#include "polyak/row_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/reference.hpp"

// Default implementations, for any storage; matrices that store their rows have faster ones.

namespace polyak {
using namespace polyak::internal;

void RowMatrix::column_norms(Index first, Index last, std::span<const double> weights, double scale,
                             std::span<double> norms2) const {
  std::vector<double> row(to_size(cols()));
  for (Index i = first; i < last; ++i) {
    const double w = weights.empty() ? 1.0 : weights[to_size(i - first)];
    if (w == 0.0) continue;
    copy_rows(i, i + 1, {row.data(), 1, cols(), cols()});
    kernels::DenseRow<double>{row.data(), cols()}.add_squares(scale * std::sqrt(w), norms2.data());
  }
}

void RowMatrix::kaczmarz_within(std::span<const Index> rows, std::span<const double> steps,
                                double scale, ConstView b, std::span<const double> lower,
                                std::span<const double> upper, View x) const {
  for (std::size_t t = 0; t < rows.size(); ++t) {
    kaczmarz(rows.subspan(t, 1), steps.subspan(t, 1), scale, b, x);
    for (Index c = 0; c < x.rows; ++c)
      for (Index j = 0; j < x.cols; ++j)
        x(c, j) = std::clamp(x(c, j), lower[to_size(j)], upper[to_size(j)]);
  }
}

}  // namespace polyak
