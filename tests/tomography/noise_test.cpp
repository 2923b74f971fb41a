#include <gtest/gtest.h>

#include <numeric>

#include "polyak/tomography_phantom.hpp"
#include "scans.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

// 5 sigma; the seed is fixed.
TEST(Poisson, has_the_mean_and_the_variance_of_its_counts) {
  constexpr Index n = 200'000;
  for (double mean : {0.3, 4.0, 11.0, 300.0, 1e5}) {
    std::vector<double> y(to_size(n), 0.0);
    const auto counts = add_poisson_noise(y, mean, 1.0, 3);
    double sum = 0.0, squares = 0.0;
    for (double c : counts) sum += c, squares += (c - mean) * (c - mean);
    EXPECT_NEAR(sum / n, mean, 5.0 * std::sqrt(mean / n)) << mean;
    const double spread = std::sqrt((mean + 2.0 * mean * mean) / n);
    EXPECT_NEAR(squares / n, mean, 5.0 * spread) << mean;
  }
}

TEST(Poisson, gives_back_line_integrals) {
  std::vector<double> y(1000, 2.0);
  add_poisson_noise(y, 1e9, 0.5, 4);
  for (double v : y) EXPECT_NEAR(v, 2.0, 1e-3);
}

TEST(Gaussian, has_the_spread_asked_for_and_depends_on_the_seed_alone) {
  std::vector<double> y(100'000, 1.0), again(y), other(y);
  add_gaussian_noise(y, 0.1, 5);
  add_gaussian_noise(again, 0.1, 5);
  add_gaussian_noise(other, 0.1, 6);
  EXPECT_EQ(y, again);
  EXPECT_NE(y, other);
  double squares = 0.0;
  for (double v : y) squares += (v - 1.0) * (v - 1.0);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 0.1, 0.1 * 5 / std::sqrt(2e5));
}

TEST(Phantoms, lie_within_their_image) {
  const ImageGrid image{64, 64, 1.0};
  for (const auto& x : {draw(shepp_logan(), image), draw_walnut(image), draw(disc(), image)}) {
    for (double v : x) ASSERT_TRUE(v >= -1e-12 && v <= 1.05);
    EXPECT_EQ(x.front(), 0.0);
    EXPECT_GT(std::accumulate(x.begin(), x.end(), 0.0), 200.0);
  }
  EXPECT_NE(draw_walnut(image, 0), draw_walnut(image, 1));
}

}  // namespace
}  // namespace polyak::tomography
