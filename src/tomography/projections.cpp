#include "matrix/products.hpp"
#include "polyak/tomography.hpp"

namespace polyak::tomography {

std::vector<double> projections(const RowMatrix& A, const std::vector<double>& image, int threads) {
  ThreadTeam team(threads);
  std::vector<double> y(to_size(A.rows()));
  Products(A, {}, {}, team)
      .multiply({image.data(), 1, A.cols(), A.cols()}, {y.data(), A.rows(), 1, 1});
  return y;
}

}  // namespace polyak::tomography
