#include "tomography/total_variation.hpp"

#include <algorithm>
#include <cmath>

namespace polyak::tomography {
namespace {

struct Difference {
  double right, down;
};

// Pixel j = (i, column), zero at the edges.
Difference difference(const ImageGrid& g, const double* x, Index i, Index column) {
  const Index j = i * g.cols + column;
  return {column + 1 < g.cols ? x[j + 1] - x[j] : 0.0, i + 1 < g.rows ? x[j + g.cols] - x[j] : 0.0};
}

}  // namespace

double total_variation(const ImageGrid& image, const std::vector<double>& x) {
  double sum = 0.0;
  for (Index i = 0; i < image.rows; ++i)
    for (Index column = 0; column < image.cols; ++column) {
      const Difference d = difference(image, x.data(), i, column);
      sum += std::sqrt(d.right * d.right + d.down * d.down);
    }
  return sum;
}

VariationProx::VariationProx(const ImageGrid& image)
    : grid_(image), dual_(to_size(2 * image.size()), 0.0) {}

// (∇ᵀp)_j = p from the left − own to the right + p from above − own down.
void VariationProx::image_of(const std::vector<double>& p, const std::vector<double>& v, double mu,
                             std::vector<double>& x) const {
  const Index cols = grid_.cols, d = grid_.size();
  const double *right = p.data(), *down = p.data() + d;
  for (Index i = 0; i < grid_.rows; ++i) {
    for (Index j = i * cols; j < (i + 1) * cols; ++j) {
      double sum = -right[j] - down[j];
      if (j > i * cols) sum += right[j - 1];
      if (i > 0) sum += down[j - cols];
      x[to_size(j)] = v[to_size(j)] - mu * sum;
    }
  }
  if (lower_.empty()) return;
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::clamp(x[j], lower_[j], upper_[j]);
}

// From the point ahead; where there is no neighbour the dual stays 0.
void VariationProx::ascend(const std::vector<double>& x, double step, double momentum) {
  const Index d = grid_.size();
  for (Index i = 0; i < grid_.rows; ++i) {
    for (Index column = 0; column < grid_.cols; ++column) {
      const Index j = i * grid_.cols + column;
      const Difference way = difference(grid_, x.data(), i, column);
      double &right = dual_[to_size(j)], &down = dual_[to_size(d + j)];
      const double r = ahead_[to_size(j)] + step * way.right;
      const double s = ahead_[to_size(d + j)] + step * way.down;
      const double length = std::max(1.0, std::sqrt(r * r + s * s));
      ahead_[to_size(j)] = r / length + momentum * (r / length - right);
      ahead_[to_size(d + j)] = s / length + momentum * (s / length - down);
      right = r / length;
      down = s / length;
    }
  }
}

void VariationProx::apply(const std::vector<double>& v, double mu, int steps,
                          std::vector<double>& x) {
  ahead_ = dual_;
  double t = 1.0;
  for (int k = 0; k < steps; ++k) {
    const double longer = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    image_of(ahead_, v, mu, x);
    ascend(x, 1.0 / (8.0 * mu), (t - 1.0) / longer);
    t = longer;
  }
  image_of(dual_, v, mu, x);
}

}  // namespace polyak::tomography
