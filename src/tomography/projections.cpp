#include "matrix/products.hpp"
#include "polyak/tomography_phantom.hpp"

namespace polyak::tomography {

std::vector<double> projections(const RowMatrix& A, const std::vector<double>& image, int threads) {
  ThreadTeam team(threads);
  std::vector<double> y(to_size(A.rows()));
  Products(A, {}, {}, team)
      .multiply({image.data(), 1, A.cols(), A.cols()}, {y.data(), A.rows(), 1, 1});
  return y;
}

ImageGrid finer_grid(const ImageGrid& image, Index finer) {
  return {image.rows * finer, image.cols * finer, image.pixel / static_cast<double>(finer)};
}

std::vector<double> coarser(const std::vector<double>& image, const ImageGrid& grid, Index finer) {
  std::vector<double> out(to_size(grid.size()), 0.0);
  const Index width = grid.cols * finer;
  for (Index k = 0; k < std::ssize(image); ++k)
    out[to_size(k / width / finer * grid.cols + k % width / finer)] +=
        image[to_size(k)] / static_cast<double>(finer * finer);
  return out;
}

std::vector<double> finer_projections(const Geometry& geometry, RayModel model,
                                      const std::vector<double>& image, Index finer, int threads) {
  Geometry fine = geometry;
  fine.image = finer_grid(geometry.image, finer);
  fine.detectors *= finer;
  fine.spacing /= static_cast<double>(finer);
  const auto y = projections(*projector(fine, model, {}, threads), image, threads);
  std::vector<double> out(to_size(geometry.rays()), 0.0);
  for (Index k = 0; k < std::ssize(y); ++k)
    out[to_size(k / finer)] += y[to_size(k)] / static_cast<double>(finer);
  return out;
}

}  // namespace polyak::tomography
