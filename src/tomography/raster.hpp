#pragma once

#include <algorithm>
#include <vector>

#include "polyak/tomography.hpp"

namespace polyak::tomography {

/// What 1 of the phantoms' square is in lengths of the image.
inline double half_side(const ImageGrid& image) {
  return 0.5 * image.pixel * static_cast<double>(std::min(image.rows, image.cols));
}

/// f(x, y) in the phantoms' square, averaged over finer² points in each pixel.
template <class Value>
std::vector<double> rasterise(const ImageGrid& image, Index finer, Value f) {
  const double step = 2.0 / static_cast<double>(std::min(image.rows, image.cols) * finer);
  const double left = -0.5 * static_cast<double>(image.cols * finer - 1);
  const double top = 0.5 * static_cast<double>(image.rows * finer - 1);
  std::vector<double> out(to_size(image.size()), 0.0);
  for (Index i = 0; i < image.rows * finer; ++i) {
    for (Index j = 0; j < image.cols * finer; ++j) {
      const double x = (left + static_cast<double>(j)) * step;
      const double y = (top - static_cast<double>(i)) * step;
      out[to_size(i / finer * image.cols + j / finer)] += f(x, y);
    }
  }
  for (double& v : out) v /= static_cast<double>(finer * finer);
  return out;
}

}  // namespace polyak::tomography
