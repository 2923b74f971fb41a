#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/random.hpp"
#include "statistics.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr std::uint64_t draws = 1 << 16;

using Source = std::function<std::uint64_t(std::uint64_t)>;

std::vector<double> uniforms(const Source& bits) {
  std::vector<double> out(draws);
  for (std::uint64_t i = 0; i < draws; ++i)
    out[i] = std::ldexp(static_cast<double>(bits(i) >> 12), -52);
  return out;
}

// 16 × 16 cells of the leading (or last) four bits of each: 256 expected in each.
double joint_p_value(const Source& a, const Source& b, int shift) {
  std::vector<double> counts(256, 0.0);
  for (std::uint64_t i = 0; i < draws; ++i)
    counts[(a(i) >> shift & 15) * 16 + (b(i) >> shift & 15)] += 1.0;
  return chi_square(counts, std::vector<double>(256, static_cast<double>(draws) / 256.0));
}

void expect_independent(const Source& a, const Source& b) {
  EXPECT_GT(no_correlation(uniforms(a), uniforms(b)), significance);
  EXPECT_GT(joint_p_value(a, b, 60), significance);
  EXPECT_GT(joint_p_value(a, b, 0), significance);
}

Source along_iterations(std::uint64_t seed, std::uint64_t stream) {
  return [random = Random(seed, stream)](std::uint64_t i) { return random.bits(i, 0); };
}

TEST(RandomStatistics, SeedsNextToEachOtherAreIndependent) {
  expect_independent(along_iterations(0, 0), along_iterations(1, 0));
  expect_independent(along_iterations(1000, 0), along_iterations(1000ull << 32, 0));
}

TEST(RandomStatistics, StreamsOfOneSeedAreIndependent) {
  expect_independent(along_iterations(0, 0), along_iterations(0, 1));
  expect_independent(along_iterations(0, stream::left_vectors),
                     along_iterations(0, stream::right_vectors));
  expect_independent(along_iterations(3, stream::noise), along_iterations(3, stream::planted));
}

TEST(RandomStatistics, SeedAndStreamAreNotInterchangeable) {
  expect_independent(along_iterations(0, 1), along_iterations(1, 0));
}

TEST(RandomStatistics, IterationsNextToEachOtherAreIndependent) {
  const Random random(42, 0);
  expect_independent([&](std::uint64_t i) { return random.bits(i, 0); },
                     [&](std::uint64_t i) { return random.bits(i + 1, 0); });
}

TEST(RandomStatistics, DrawsOfOneIterationAreIndependent) {
  const Random random(42, 0);
  const Source even = [&](std::uint64_t i) { return random.bits(5, 2 * i); };
  expect_independent(even, [&](std::uint64_t i) { return random.bits(5, 2 * i + 1); });
  expect_independent(even, [&](std::uint64_t i) { return random.bits(5, 2 * i + 2); });
  expect_independent(even, [&](std::uint64_t i) { return random.bits(2 * i, 5); });
}

TEST(RandomStatistics, EachOfThe64BitsIsSetHalfOfTheTime) {
  const Random random(2024, 0);
  std::vector<double> set(64, 0.0);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t bits = random.bits(0, i);
    for (std::size_t b = 0; b < 64; ++b) set[b] += static_cast<double>(bits >> b & 1);
  }
  const double half = static_cast<double>(draws) / 2.0;
  for (std::size_t b = 0; b < 64; ++b)
    EXPECT_GT(two_sided((set[b] - half) / std::sqrt(half / 2.0)), significance / 64.0) << b;
}

TEST(RandomStatistics, UniformsAreUniform) {
  const Random random(7, 0);
  std::vector<double> sample(draws), counts(1024, 0.0);
  for (std::uint64_t i = 0; i < draws; ++i) {
    sample[i] = random.uniform(3, i);
    ASSERT_TRUE(sample[i] > 0.0 && sample[i] < 1.0);
    counts[static_cast<std::size_t>(1024.0 * sample[i])] += 1.0;
  }
  const std::vector<double> expected(1024, static_cast<double>(draws) / 1024.0);
  EXPECT_GT(chi_square(counts, expected), significance);
  EXPECT_GT(kolmogorov_smirnov(sample, [](double u) { return u; }), significance);
}

std::vector<double> normals(std::uint64_t seed) {
  std::vector<double> out(draws);
  Random(seed, stream::planted).normals(0, draws, out.data());
  return out;
}

double mean_power(const std::vector<double>& x, int power) {
  double sum = 0.0;
  for (double v : x) sum += std::pow(v, power);
  return sum / static_cast<double>(x.size());
}

// The variance of x^p is E x^2p − (E x^p)²: 1, 2, 15 and 105 − 9.
TEST(RandomStatistics, NormalsHaveTheMomentsOfTheStandardNormal) {
  const auto x = normals(8);
  const double n = static_cast<double>(draws);
  EXPECT_GT(two_sided(std::sqrt(n / 1.0) * mean_power(x, 1)), significance);
  EXPECT_GT(two_sided(std::sqrt(n / 2.0) * (mean_power(x, 2) - 1.0)), significance);
  EXPECT_GT(two_sided(std::sqrt(n / 15.0) * mean_power(x, 3)), significance);
  EXPECT_GT(two_sided(std::sqrt(n / 96.0) * (mean_power(x, 4) - 3.0)), significance);
}

TEST(RandomStatistics, NormalsFollowTheNormalDistribution) {
  EXPECT_GT(kolmogorov_smirnov(normals(9), [](double v) { return normal_tail(-v); }), significance);
}

TEST(RandomStatistics, TheTwoNormalsOfAPairAreIndependent) {
  const auto x = normals(10);
  std::vector<double> first, second, first2, second2;
  for (std::size_t i = 0; i < x.size(); i += 2) {
    first.push_back(x[i]);
    second.push_back(x[i + 1]);
    first2.push_back(x[i] * x[i]);
    second2.push_back(x[i + 1] * x[i + 1]);
  }
  EXPECT_GT(no_correlation(first, second), significance);
  EXPECT_GT(no_correlation(first2, second2), significance);
}

// The tests above can fail: each notices a small fault.
TEST(RandomStatistics, NoticeAFaultOfAFewPercent) {
  auto x = normals(8);
  for (double& v : x) v *= 1.03;
  EXPECT_LT(two_sided(std::sqrt(static_cast<double>(draws) / 2.0) * (mean_power(x, 2) - 1.0)),
            significance);
  EXPECT_LT(kolmogorov_smirnov(x, [](double v) { return normal_tail(-v - 0.03); }), significance);
  const auto u = uniforms(along_iterations(0, 0));
  auto v = uniforms(along_iterations(1, 0));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += 0.03 * u[i];
  EXPECT_LT(no_correlation(u, v), significance);
}

}  // namespace
}  // namespace polyak::test
