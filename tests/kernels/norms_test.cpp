#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "kernels/reference.hpp"
#include "values.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double u = 0x1p-53;
constexpr double least = std::numeric_limits<double>::min();
constexpr double denormal = std::numeric_limits<double>::denorm_min();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double norm2(const std::vector<double>& v, double scale = 1.0) {
  return kernels::norm2(v.data(), std::ssize(v), scale);
}
double max_abs(const std::vector<double>& v) { return kernels::max_abs(v.data(), std::ssize(v)); }

TEST(LaneSum, AddsElementJToSumJModulo8AndTheSumsAsATree) {
  // Values of very different size: any other order rounds differently.
  std::vector<double> v(27);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = std::pow(3.0, static_cast<double>(j * 7 % 27));
  double s[8] = {};
  for (std::size_t j = 0; j < v.size(); ++j) s[j % 8] += v[j];
  EXPECT_EQ(kernels::lane_sum(27, [&](Index j) { return v[to_size(j)]; }),
            ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])));
}

TEST(LaneSum, OfNothingIsZero) {
  EXPECT_EQ(kernels::lane_sum(0, [](Index) { return 1.0; }), 0.0);
}

// Squares are positive: one rounding each, d/8 + 3 additions.
TEST(Norm2, IsWithinItsErrorBound) {
  for (const Index count : sizes) {
    const auto v = normals<double>(count, 5);
    long double exact = 0.0L;
    for (double a : v) exact += static_cast<long double>(a) * static_cast<long double>(a);
    const double bound = (static_cast<double>(count) / 8.0 + 3.0) * u;
    EXPECT_LE(std::abs(static_cast<double>(norm2(v) - exact)), bound * static_cast<double>(exact));
  }
}

TEST(Norm2, OfSingleValuesIsSummedInDouble) {
  const auto v = normals<float>(100, 5);
  long double exact = 0.0L;
  for (float a : v) exact += static_cast<long double>(a) * static_cast<long double>(a);
  EXPECT_LE(std::abs(static_cast<double>(kernels::norm2(v.data(), 100, 1.0) - exact)),
            (100.0 / 8.0 + 3.0) * u * static_cast<double>(exact));
}

TEST(Norm2, HasTheSameBitsForAnyPowerOfTwoThatItsScaleUndoes) {
  const auto v = normals<double>(100, 6);
  const double expected = norm2(v);
  for (int k = -900; k <= 900; k += 60) {
    auto scaled = v;
    for (double& a : scaled) a = std::ldexp(a, k);
    EXPECT_EQ(norm2(scaled, std::ldexp(1.0, -k)), expected) << k;
  }
}

TEST(Norm2, OverflowsToInfinityWithoutAScaleAndNotWithOne) {
  const std::vector<double> v(4, 1e200);
  EXPECT_EQ(norm2(v), inf);
  const double scale = std::ldexp(1.0, -std::ilogb(1e200));
  // Four equal squares: one rounding each, sums of equal numbers are exact.
  EXPECT_NEAR(norm2(v, scale) / (4.0 * (scale * 1e200) * (scale * 1e200)), 1.0, 2 * u);
}

TEST(Norm2, OfATinyRowIsAtLeastTheSmallestNormalNumber) {
  for (const double a : {1e-200, -1e-200, 1e-160, 1e-300, denormal, -denormal}) {
    EXPECT_EQ(norm2({a}), least) << a;
    EXPECT_EQ(norm2({0.0, 0.0, a, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}), least) << a;
    EXPECT_EQ(norm2({0.0, a}, 0x1p-1000), least) << a;
  }
}

TEST(Norm2, OfDenormalsCanBeScaledExactly) {
  EXPECT_EQ(norm2({denormal}, 0x1p1000), std::ldexp(1.0, 2 * (1000 - 1074)));
  EXPECT_EQ(norm2({1e-200, 1e-200}, 1e200), norm2({1e-200 * 1e200, 1e-200 * 1e200}));
}

TEST(Norm2, OfZerosAndOfNothingIsZero) {
  EXPECT_EQ(norm2({}), 0.0);
  EXPECT_EQ(norm2({0.0}), 0.0);
  EXPECT_EQ(norm2({-0.0, 0.0, 0.0}), 0.0);
  EXPECT_EQ(norm2(std::vector<double>(1000, 0.0)), 0.0);
}

TEST(Norm2, IsNotFiniteWhenAValueIsNot) {
  for (const double bad : {nan, inf, -inf}) {
    for (std::size_t place : {0u, 8u, 10u}) {
      std::vector<double> v(11, 1e-200);
      v[place] = bad;
      EXPECT_FALSE(std::isfinite(norm2(v))) << place;
      EXPECT_FALSE(std::isfinite(norm2(v, 0x1p-1000))) << place;
    }
  }
}

TEST(MaxAbs, FindsTheLargestWhereverItIs) {
  for (std::size_t place : {0u, 1u, 7u, 8u, 20u}) {
    std::vector<double> v(21, 0.5);
    v[place] = -3.0;
    EXPECT_EQ(max_abs(v), 3.0);
  }
  EXPECT_EQ(max_abs({}), 0.0);
  EXPECT_EQ(max_abs({-0.0}), 0.0);
  EXPECT_EQ(max_abs({denormal, -2 * denormal}), 2 * denormal);
  EXPECT_EQ(max_abs({1.0, -inf, 2.0}), inf);
}

TEST(MaxAbs, IsNanWhenThereIsOneBeforeOrAfterInfinity) {
  EXPECT_TRUE(std::isnan(max_abs({1.0, nan})));
  EXPECT_TRUE(std::isnan(max_abs({nan, 1.0, inf})));
  EXPECT_TRUE(std::isnan(max_abs({inf, nan, 1.0})));
  const std::vector<float> v = {1.0f, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(kernels::max_abs(v.data(), 2)));
}

#if defined(__SSE__)
TEST(Kernels, LeaveTheRoundingAndDenormalStateOfTheProcessorAlone) {
  const unsigned mode = ~0x3fu;  // all but the flags that arithmetic itself raises
  const unsigned before = _mm_getcsr() & mode;
  std::vector<double> g(9, denormal), x(9, 0.5);
  const kernels::DenseRow<double> row{x.data(), 9};
  row.add_to(4 * denormal, g.data());
  EXPECT_EQ(g, std::vector<double>(9, 3 * denormal));
  EXPECT_EQ(row.dot(g.data()), 18 * denormal);  // each product, 1.5 of them, rounds to 2
  EXPECT_EQ(norm2({denormal}), least);
  EXPECT_EQ(_mm_getcsr() & mode, before);
}
#endif

}  // namespace
}  // namespace polyak::test
