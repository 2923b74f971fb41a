#include "polyak/row_matrix.hpp"

#include <cmath>

#include "kernels/reference.hpp"

namespace polyak {

// For any storage; what stores its rows has a faster one.
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

}  // namespace polyak
