#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"
#include "sampling/batches.hpp"
#include "sampling/law.hpp"
#include "sampling/sampler.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

std::vector<double> uneven(Index rows) {
  std::vector<double> weights(to_size(rows));
  for (std::size_t j = 0; j < weights.size(); ++j)
    weights[j] = j % 4 == 1 ? 0.0 : 1.0 + static_cast<double>(j % 13);
  return weights;
}

std::vector<Index> batch(const Sampler& sampler, const Random& random, Index k, std::size_t size) {
  ThreadTeam team(1);
  BatchDrawer drawer(sampler, static_cast<Index>(size), {}, team);
  drawer.draw(random, k);
  return {drawer.rows().begin(), drawer.rows().end()};
}

std::vector<Index> one_by_one(const Sampler& sampler, const Random& random, Index k,
                              std::size_t size) {
  std::vector<Index> rows;
  for (std::size_t t = 0; t < size; ++t)
    rows.push_back(sampler.find(random.bits(static_cast<std::uint64_t>(k), t)));
  return rows;
}

class DrawsFrom : public ::testing::TestWithParam<Index> {};

TEST_P(DrawsFrom, ABatchAreTheSingleDrawsSorted) {
  const Sampler sampler(uneven(GetParam()));
  const Random random(31, 2);
  for (const std::size_t size :
       {0u, 1u, 2u, 3u, 255u, 256u, 257u, 511u, 512u, 513u, 1000u, 5000u}) {
    for (const Index k : {Index{0}, Index{1}, Index{1} << 40}) {
      auto expected = one_by_one(sampler, random, k, size);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(batch(sampler, random, k, size), expected) << size << " draws of " << k;
    }
  }
}

TEST_P(DrawsFrom, ASequenceAreDrawZeroOfEachIteration) {
  const Sampler sampler(uneven(GetParam()));
  const Random random(31, 3);
  std::vector<Index> rows(700);
  sampler.draw_sequence(random, 11, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(rows[i], sampler.find(random.bits(11 + i, 0)));
  std::vector<Index> part(300);  // cut anywhere, the same
  sampler.draw_sequence(random, 11 + 400, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), rows.begin() + 400));
}

INSTANTIATE_TEST_SUITE_P(Rows, DrawsFrom,
                         ::testing::Values(1, 2, 3, 5, 100, 2047, 2048, 2049, 70'000, 4'200'000));

RC_GTEST_PROP(Draws, OfALargerBatchContainThoseOfASmaller, (std::uint64_t seed)) {
  const Sampler sampler(uneven(50));
  const Random random(seed, 0);
  const auto small = *rc::gen::inRange<std::size_t>(0, 600);
  const auto more = *rc::gen::inRange<std::size_t>(0, 600);
  const auto fewer = batch(sampler, random, 4, small),
             all = batch(sampler, random, 4, small + more);
  RC_ASSERT(std::includes(all.begin(), all.end(), fewer.begin(), fewer.end()));
}

// 2^17 draws in batches; each law against its own formula, significance 1e-6.
class Law : public ::testing::TestWithParam<Sampling> {
 protected:
  std::vector<double> norms2, given;
  void SetUp() override {
    const Random random(77, 0);
    for (std::uint64_t j = 0; j < 400; ++j) {
      const double v = random.uniform(0, j);
      norms2.push_back(j % 10 == 9 ? 0.0 : v * v * v * 8.0);
      given.push_back(0.5 + random.uniform(1, j));
    }
  }

  std::vector<double> intended() const {
    double norms = 0.0, nonzero = 0.0, sum = 0.0;
    for (std::size_t j = 0; j < norms2.size(); ++j) {
      norms += norms2[j];
      nonzero += norms2[j] > 0.0;
      sum += norms2[j] > 0.0 ? given[j] : 0.0;
    }
    std::vector<double> p;
    for (std::size_t j = 0; j < norms2.size(); ++j) {
      const double by_norm = norms2[j] / norms, uniform = 1.0 / nonzero;
      const double of_law = GetParam() == Sampling::row_norm  ? by_norm
                            : GetParam() == Sampling::uniform ? uniform
                            : GetParam() == Sampling::mixed   ? 0.5 * (by_norm + uniform)
                                                              : given[j] / sum;
      p.push_back(norms2[j] > 0.0 ? of_law : 0.0);
    }
    return p;
  }
};

TEST_P(Law, HasTheProbabilitiesOfItsFormula) {
  const Sampler sampler(law_weights(GetParam(), norms2, given));
  const auto p = intended();
  // The weights are good to a few eps, the integer parts to 2^-49.
  for (std::size_t j = 0; j < p.size(); ++j)
    EXPECT_NEAR(sampler.probability(static_cast<Index>(j)), p[j], p[j] * 400 * 0x1p-52 + 0x1p-49);
}

TEST_P(Law, IsFollowedByTheDraws) {
  const Sampler sampler(law_weights(GetParam(), norms2, given));
  const Random random(1234, 0);
  std::vector<double> counts(norms2.size(), 0.0), expected = intended();
  constexpr Index batches = 128;
  for (Index k = 0; k < batches; ++k)
    for (Index row : batch(sampler, random, k, 1024)) counts[to_size(row)] += 1.0;
  for (double& e : expected) e *= 1024.0 * batches;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (norms2[j] == 0.0) {
      EXPECT_EQ(counts[j], 0.0);
    }
  }
  EXPECT_GT(chi_square(counts, expected), significance);
  for (std::size_t j = 0; j < 200; ++j) expected[j] *= 1.05;  // and a wrong law is noticed
  EXPECT_LT(chi_square(counts, expected), significance);
}

INSTANTIATE_TEST_SUITE_P(Laws, Law,
                         ::testing::Values(Sampling::row_norm, Sampling::uniform, Sampling::mixed,
                                           Sampling::given));

TEST(Draws, OfOneBatchAndOfNextBatchesAreIndependent) {
  const Sampler sampler(std::vector<double>(16, 1.0));
  const Random random(5, 0);
  std::vector<double> within(256, 0.0), across(256, 0.0);
  for (std::uint64_t k = 0; k < 1 << 16; ++k) {
    const auto row = [&](std::uint64_t i, std::uint64_t t) {
      return to_size(sampler.find(random.bits(i, t)));
    };
    within[16 * row(k, 0) + row(k, 1)] += 1.0;
    across[16 * row(k, 0) + row(k + 1, 0)] += 1.0;
  }
  const std::vector<double> expected(256, 256.0);
  EXPECT_GT(chi_square(within, expected), significance);
  EXPECT_GT(chi_square(across, expected), significance);
}

}  // namespace
}  // namespace polyak::test
