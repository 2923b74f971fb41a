#include "sampling/sampler.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parts.hpp"
#include "polyak/error.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double denormal = std::numeric_limits<double>::denorm_min();

std::vector<double> weights_of_any_size() {
  auto weights = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-1000, 1000), rc::gen::inRange(0, 4)),
      [](std::pair<int, int> v) { return v.second == 0 ? 0.0 : std::ldexp(v.second, v.first); })));
  weights.push_back(1.0);
  return weights;
}

void expect_exact_parts(const Sampler& sampler, const std::vector<double>& weights) {
  const Parts parts(sampler);
  const auto positive = static_cast<double>(
      std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0.0; }));
  // Sums in long double: 64 bits, and no overflow.
  const long double sum = std::accumulate(weights.begin(), weights.end(), 0.0L);
  std::uint64_t total = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::uint64_t part = parts.size(static_cast<Index>(j));
    total += part;
    EXPECT_EQ(part > 0, weights[j] > 0.0) << j;
    EXPECT_EQ(sampler.probability(static_cast<Index>(j)), static_cast<double>(part) * 0x1p-62);
    // In proportion, but for the one part that is every row's, a factor near one,
    // and what is left over, shared evenly.
    const long double wanted = weights[j] / sum;
    const long double slack =
        wanted * (0x1p-49L + positive * 0x1p-62L) + (0x1p13L / positive + 3.0L) * 0x1p-62L;
    EXPECT_LE(std::abs(static_cast<long double>(part) * 0x1p-62L - wanted), slack) << j;
  }
  EXPECT_EQ(total, 1ull << 62);
}

TEST(Sampler, GivesEachRowAWholeNumberOfPartsThatSumToExactly2To62) {
  for (const std::vector<double>& weights : {std::vector<double>{1.0},
                                             {3.0, 1.0},
                                             {0.1, 0.2, 0.3, 0.4},
                                             {0.0, 1.0, 0.0},
                                             {1e-9, 1e9},
                                             {1e308, 1e308, 1e308},
                                             {denormal, 3 * denormal},
                                             {1.0, 1e-300},
                                             {1e300, 1e-300, 0.0}}) {
    expect_exact_parts(Sampler(weights), weights);
  }
}

RC_GTEST_PROP(Sampler, GivesPartsThatSumToExactly2To62ForAnyWeights, ()) {
  const auto weights = weights_of_any_size();
  expect_exact_parts(Sampler(weights), weights);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(Sampler, GivesManyRowsPartsThatSumToExactly2To62) {
  std::vector<double> weights(100'000);
  for (std::size_t j = 0; j < weights.size(); ++j)
    weights[j] = j % 5 == 0 ? 0.0 : 1.0 / static_cast<double>(1 + j);
  expect_exact_parts(Sampler(weights), weights);
}

TEST(Sampler, NeverLosesARowWhoseWeightIsTiny) {
  const Sampler sampler(std::vector<double>{1.0, 1e-300, 1.0, denormal});
  for (const Index j : {1, 3}) EXPECT_GE(sampler.probability(j), 0x1p-62);
  EXPECT_EQ(sampler.find(~0ull), 3);
}

TEST(Sampler, NeverDrawsARowOfWeightZero) {
  const Sampler sampler(std::vector<double>{0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0});
  EXPECT_EQ(sampler.find(0), 2);
  EXPECT_EQ(sampler.find(~0ull), 4);
  const Random random(1, 0);
  for (std::uint64_t k = 0; k < 10'000; ++k) {
    const Index row = sampler.find(random.bits(k, 0));
    ASSERT_TRUE(row == 2 || row == 4);
  }
}

TEST(Sampler, IgnoresTheTwoLowestBits) {
  const Sampler sampler(std::vector<double>(1000, 1.0));
  const Random random(2, 0);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const std::uint64_t bits = random.bits(k, 0) & ~3ull;
    for (std::uint64_t low = 1; low < 4; ++low)
      ASSERT_EQ(sampler.find(bits), sampler.find(bits | low));
  }
}

// Parts are found by bisection, so that row j has the points first(j) ..
// first(j + 1) − 1 there; here every point near an end and some between.
RC_GTEST_PROP(Sampler, FindsWhatALinearSearchFinds, ()) {
  const auto weights = weights_of_any_size();
  const Sampler sampler(weights);
  const Parts parts(sampler);
  std::vector<std::uint64_t> points;
  for (Index j = 0; j < sampler.rows(); ++j) {
    for (const std::uint64_t p : {parts.first(j) - 1, parts.first(j), parts.first(j) + 1,
                                  parts.first(j) / 2 + parts.first(j + 1) / 2}) {
      if (p < 1ull << 62) points.push_back(p);
    }
  }
  for (const std::uint64_t point : points) {
    Index linear = 0;
    for (std::uint64_t sum = parts.size(0); sum <= point; sum += parts.size(linear)) ++linear;
    RC_ASSERT(sampler.find(point << 2) == linear);
  }
}

TEST(Sampler, FindsEveryRowOfManyAtBothItsEnds) {
  std::vector<double> weights(3000);
  for (std::size_t j = 0; j < weights.size(); ++j)  // long runs of tiny rows in one cell
    weights[j] = j % 7 == 3 ? 0.0 : j < 1000 ? 1e-12 : std::pow(0.99, static_cast<double>(j));
  const Sampler sampler(weights);
  const Parts parts(sampler);
  for (Index j = 0; j < sampler.rows(); ++j) {
    if (parts.size(j) == 0) continue;
    ASSERT_EQ(sampler.find(parts.first(j) << 2), j);
    ASSERT_EQ(sampler.find((parts.first(j + 1) - 1) << 2), j);
  }
}

RC_GTEST_PROP(Sampler, DrawsTheSameRowsWhenZeroRowsAreInserted, (std::uint64_t seed)) {
  const auto weights = weights_of_any_size();
  std::vector<double> longer;
  std::vector<Index> old_row;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    for (int zeros = *rc::gen::inRange(0, 4); zeros > 0; --zeros) {
      longer.push_back(0.0);
      old_row.push_back(-1);
    }
    longer.push_back(weights[j]);
    old_row.push_back(static_cast<Index>(j));
  }
  const Sampler plain(weights), with_zeros(longer);
  const Random random(seed, 0);
  for (std::uint64_t t = 0; t < 200; ++t) {
    const std::uint64_t bits = random.bits(0, t);
    RC_ASSERT(old_row[to_size(with_zeros.find(bits))] == plain.find(bits));
  }
  for (std::size_t j = 0; j < longer.size(); ++j) {
    const double p = with_zeros.probability(static_cast<Index>(j));
    RC_ASSERT(p == (old_row[j] < 0 ? 0.0 : plain.probability(old_row[j])));
  }
}

RC_GTEST_PROP(Sampler, HasTheSameProbabilitiesWhenAllWeightsAreTimesAPowerOfTwo, ()) {
  std::vector<double> weights = {1.0, 0.3, 0.0, 7.0, 0.001};
  const Sampler plain(weights);
  const int power = *rc::gen::inRange(-900, 900);
  for (double& w : weights) w = std::ldexp(w, power);
  const Sampler scaled(weights);
  for (Index j = 0; j < 5; ++j) RC_ASSERT(scaled.probability(j) == plain.probability(j));
}

TEST(Sampler, RefusesWeightsThatAreNoProbabilities) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& weights : {std::vector<double>{},
                                             {0.0},
                                             {0.0, 0.0},
                                             {1.0, -1e-300},
                                             {1.0, nan},
                                             {inf, 1.0},
                                             {-inf, 1.0}}) {
    try {
      const Sampler sampler(weights);
      ADD_FAILURE() << "accepted " << weights.size() << " weights";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data);
    }
  }
}

}  // namespace
}  // namespace polyak::test
