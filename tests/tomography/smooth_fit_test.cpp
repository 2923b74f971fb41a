// The penalty, its fit, and what held-out rays say.
#include "tomography/smooth_fit.hpp"

#include <gtest/gtest.h>

#include "scans.hpp"
#include "tomography/held_out.hpp"

namespace polyak::tomography {
namespace {

double variation(const ImageGrid& image, const std::vector<double>& x, double delta) {
  double sum = 0.0;
  for (Index i = 0; i < image.rows; ++i) {
    for (Index j = 0; j < image.cols; ++j) {
      const auto at = [&](Index k, Index l) { return x[to_size(k * image.cols + l)]; };
      const double dx = j + 1 < image.cols ? at(i, j + 1) - at(i, j) : 0.0;
      const double dy = i + 1 < image.rows ? at(i + 1, j) - at(i, j) : 0.0;
      const double t = std::hypot(dx, dy);
      sum += t > delta ? t - 0.5 * delta : 0.5 * t * t / delta;
    }
  }
  return sum;
}

TEST(Variation, has_the_gradient_of_its_differences) {
  for (const ImageGrid& image : {ImageGrid{5, 7, 1.0}, {1, 4, 1.0}, {3, 1, 1.0}, {1, 1, 1.0}}) {
    auto x = normals(image.size(), 3);
    std::vector<double> g(x.size(), 0.0);
    add_variation_gradient(image, x.data(), 2.0, 0.6, g.data());
    for (std::size_t j = 0; j < x.size(); ++j) {
      constexpr double h = 1e-5;  // central differences: h² and eps/h, both near 1e-10
      auto up = x, down = x;
      up[j] += h, down[j] -= h;
      const double slope = (variation(image, up, 0.6) - variation(image, down, 0.6)) / (2.0 * h);
      EXPECT_NEAR(g[j], 2.0 * slope, 1e-6) << j;
    }
  }
}

// At the minimum within bounds the gradient is 0 or points outside.
TEST(SmoothFit, comes_to_the_minimum_of_its_objective) {
  const Geometry g = odd_scan(Beam::parallel);
  const MatrixPtr A = projector(g, RayModel::line);
  const auto b = normals(A->rows(), 5);
  ThreadTeam team(1);
  Products products(*A, {}, {}, team);
  SmoothFit fit(products, as_column(b), g.image);
  const std::vector<double> lower(to_size(g.image.size()), -0.05),
      upper(to_size(g.image.size()), 0.05);
  fit.set_bounds(lower, upper);
  fit.begin(std::vector<double>(to_size(g.image.size()), 0.0));
  const double lambda = 0.5, delta = 0.02;
  for (int k = 0; k < 3000; ++k) fit.step(lambda, delta);
  auto r = times(*A, fit.x());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b[i];
  auto gradient = transposed_times(*A, r);
  add_variation_gradient(g.image, fit.x().data(), lambda, delta, gradient.data());
  const auto start = transposed_times(*A, b);
  const double size = std::sqrt(dot(start, start));
  int at_bounds = 0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const bool low = fit.x()[j] == lower[j], high = fit.x()[j] == upper[j];
    at_bounds += low || high;
    if (!low) EXPECT_LT(gradient[j], 1e-8 * size) << j;
    if (!high) EXPECT_GT(gradient[j], -1e-8 * size) << j;
  }
  EXPECT_GT(at_bounds, 10);
}

TEST(HeldOut, the_smoothest_of_equals_is_chosen) {
  const Squares good(100, 1.0);
  Squares alike = good, bad(100, 1.5);
  for (std::size_t k = 0; k < 100; ++k) alike[k] += k % 2 ? 0.11 : -0.1, bad[k] += 0.01 * (k % 7);
  EXPECT_GT(standard_errors_above(bad, good), 100.0);
  EXPECT_NEAR(standard_errors_above(alike, good), 0.5, 0.1);
  EXPECT_EQ(standard_errors_above(good, good), 0.0);
  EXPECT_EQ(smoothest_of_the_best({bad, alike, good, bad}), 1u);
  EXPECT_EQ(smoothest_of_the_best({good}), 0u);
  EXPECT_FALSE(past_the_best({bad, good, bad}));
  EXPECT_TRUE(past_the_best({bad, good, bad, bad}));
}

}  // namespace
}  // namespace polyak::tomography
