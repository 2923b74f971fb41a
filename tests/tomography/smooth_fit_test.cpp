// The penalty, its fit, and what held-out rays say.
#include <gtest/gtest.h>

#include "scans.hpp"
#include "tomography/reconstruct/tv.hpp"

namespace polyak::tomography {
using namespace polyak::internal;
using namespace polyak::tomography::internal;

namespace {

double variation(const ImageGrid& image, const std::vector<double>& x) {
  double sum = 0.0;
  const auto at = [&](Index i, Index j) { return x[to_size(i * image.cols + j)]; };
  for (Index i = 0; i < image.rows; ++i)
    for (Index j = 0; j < image.cols; ++j)
      sum += std::hypot(j + 1 < image.cols ? at(i, j + 1) - at(i, j) : 0.0,
                        i + 1 < image.rows ? at(i + 1, j) - at(i, j) : 0.0);
  return sum;
}

// Convex: nothing near the minimum is lower, nor is what two long runs agree on.
TEST(VariationProx, finds_the_minimum_of_its_objective) {
  for (const ImageGrid& image : {ImageGrid{9, 13, 1.0}, {1, 8, 1.0}, {7, 1, 1.0}, {1, 1, 1.0}}) {
    const auto v = normals(image.size(), 3);
    const std::vector<double> lower(v.size(), -0.5), upper(v.size(), 0.4);
    for (const bool bounded : {false, true}) {
      ThreadTeam team(2);
      VariationProx prox(image, team);
      if (bounded) prox.set_bounds(lower, upper);
      const double mu = 0.3;
      std::vector<double> x(v.size());
      prox.apply(v, mu, 4000, x);
      const auto objective = [&](const std::vector<double>& y) {
        double sum = mu * variation(image, y);
        for (std::size_t j = 0; j < y.size(); ++j) sum += 0.5 * (y[j] - v[j]) * (y[j] - v[j]);
        return sum;
      };
      const double least = objective(x);
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto way = normals(image.size(), 10 + seed);
        for (const double size : {1e-3, 1e-2, 0.1}) {
          auto y = x;
          for (std::size_t j = 0; j < y.size(); ++j) {
            y[j] += size * way[j];
            if (bounded) y[j] = std::clamp(y[j], -0.5, 0.4);
          }
          EXPECT_GE(objective(y), least - 1e-9);
        }
      }
      for (double value : x) EXPECT_TRUE(!bounded || (value >= -0.5 && value <= 0.4));
    }
  }
}

// Two pixels: x moves by mu each, or to their mean.
TEST(VariationProx, brings_two_pixels_together) {
  ThreadTeam team(1);
  for (const ImageGrid& image : {ImageGrid{1, 2, 1.0}, {2, 1, 1.0}}) {
    VariationProx prox(image, team);
    std::vector<double> x(2);
    prox.apply({1.0, 3.0}, 0.25, 500, x);
    EXPECT_NEAR(x[0], 1.25, 1e-12);
    EXPECT_NEAR(x[1], 2.75, 1e-12);
    prox.apply({1.0, 3.0}, 5.0, 500, x);
    EXPECT_NEAR(x[0], 2.0, 1e-9);
    EXPECT_NEAR(x[1], 2.0, 1e-9);
  }
}

// The gradient of the data term must be balanced by the prox: one more step moves
// nothing, and no image near by is better.
TEST(SmoothFit, comes_to_the_minimum_of_its_objective) {
  const Geometry g = odd_scan(Beam::parallel);
  const MatrixPtr A = projector(g, RayModel::line);
  const auto b = normals(A->rows(), 5);
  ThreadTeam team(1);
  Products products(*A, {}, {}, team);
  SmoothFit fit(products, as_column(b), g.image);
  fit.begin(std::vector<double>(to_size(g.image.size()), 0.0));
  const double lambda = 0.5;
  for (int k = 0; k < 3000; ++k) fit.step(lambda);
  EXPECT_LT(fit.step(lambda), 1e-8 * std::sqrt(dot(b, b)));
  const auto objective = [&](const std::vector<double>& x) {
    auto r = times(*A, x);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b[i];
    return 0.5 * dot(r, r) + lambda * variation(g.image, x);
  };
  const double least = objective(fit.x());
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto way = normals(g.image.size(), 10 + seed);
    for (const double size : {1e-5, 1e-4, 1e-3}) {
      auto y = fit.x();
      for (std::size_t j = 0; j < y.size(); ++j) y[j] += size * way[j];
      EXPECT_GE(objective(y), least);
    }
  }
}

TEST(HeldOut, the_smoothest_of_equals_is_chosen) {
  const Squares good(100, 1.0);
  Squares alike = good, bad(100, 1.5);
  for (std::size_t k = 0; k < 100; ++k)
    alike[k] += k % 2 ? 0.11 : -0.1, bad[k] += k % 3 ? 0.02 : 0.0;
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
