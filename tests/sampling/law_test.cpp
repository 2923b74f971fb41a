#include "sampling/law.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "polyak/error.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

double eta(Sampling law, const std::vector<double>& norms2, const std::vector<double>& given = {}) {
  return sampling_eta(Sampler(law_weights(law, norms2, given)), norms2, sum(norms2));
}

std::vector<double> positive_norms() {
  auto norms2 = *rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(0, 1 << 20), [](int v) { return v * 0.001; }));
  norms2.push_back(1.0);
  return norms2;
}

RC_GTEST_PROP(Eta, IsOneForRowNormSampling, ()) {
  RC_ASSERT(std::abs(eta(Sampling::row_norm, positive_norms()) - 1.0) < 1e-9);
}

RC_GTEST_PROP(Eta, OfUniformSamplingIsTheLargestRowTimesTheirNumber, ()) {
  const auto norms2 = positive_norms();
  const auto rows = static_cast<double>(
      std::count_if(norms2.begin(), norms2.end(), [](double v) { return v > 0.0; }));
  const double expected = rows * *std::max_element(norms2.begin(), norms2.end()) / sum(norms2);
  RC_ASSERT(std::abs(eta(Sampling::uniform, norms2) / expected - 1.0) < 1e-9);
}

RC_GTEST_PROP(Eta, OfMixedSamplingIsAtMostTwo, ()) {
  RC_ASSERT(eta(Sampling::mixed, positive_norms()) <= 2.0);
}

TEST(Eta, OfMixedSamplingNearlyReachesTwo) {
  std::vector<double> norms2(100'000, 1e-12);
  norms2[5] = 1.0;
  const double value = eta(Sampling::mixed, norms2);
  EXPECT_LE(value, 2.0);
  EXPECT_GT(value, 1.9999);
}

TEST(Eta, OfGivenProbabilitiesIsTheWorstRatio) {
  // Shares 1/4, 1/4, 1/2 of the norm; probabilities 1/2, 1/8, 3/8.
  EXPECT_NEAR(eta(Sampling::given, {1.0, 1.0, 2.0}, {4.0, 1.0, 3.0}), 2.0, 1e-9);
}

TEST(Eta, IsOneForASingleRowUnderEveryLaw) {
  for (const Sampling law : {Sampling::row_norm, Sampling::uniform, Sampling::mixed})
    EXPECT_EQ(eta(law, {0.0, 5.0}), 1.0);
}

TEST(Eta, StaysFiniteWhenRowsSpanTheRangeOfNumbers) {
  for (const Sampling law : {Sampling::row_norm, Sampling::uniform, Sampling::mixed}) {
    const double value = eta(law, {1e-300, 1.0, std::numeric_limits<double>::min(), 1e150});
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_GE(value, 1.0 - 1e-9);
  }
}

TEST(LawWeights, AreZeroExactlyForZeroRows) {
  const std::vector<double> norms2 = {0.0, 1.0, 1e-300, 0.0, 1e100}, given(5, 0.2);
  for (const Sampling law :
       {Sampling::row_norm, Sampling::uniform, Sampling::mixed, Sampling::given}) {
    const auto weights = law_weights(law, norms2, given);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(weights[j] > 0.0, norms2[j] > 0.0) << j;
  }
}

TEST(LawWeights, OfNoRowsAreNone) {
  for (const Sampling law :
       {Sampling::row_norm, Sampling::uniform, Sampling::mixed, Sampling::given})
    EXPECT_TRUE(law_weights(law, {}, {}).empty());
}

TEST(GivenProbabilities, NeedNotSumToOne) {
  const std::vector<double> norms2(4, 1.0);
  const Sampler a(law_weights(Sampling::given, norms2, std::vector<double>{0.1, 0.2, 0.3, 0.4}));
  const Sampler b(law_weights(Sampling::given, norms2, std::vector<double>{0.8, 1.6, 2.4, 3.2}));
  for (Index j = 0; j < 4; ++j) EXPECT_EQ(a.probability(j), b.probability(j));
}

TEST(GivenProbabilities, OfZeroRowsAreNotUsed) {
  const std::vector<double> norms2 = {1.0, 0.0, 1.0};
  for (const double p : {0.0, 5.0, -1.0}) {
    const auto weights = law_weights(Sampling::given, norms2, std::vector<double>{0.5, p, 0.5});
    EXPECT_EQ(weights, (std::vector<double>{0.5, 0.0, 0.5}));
  }
}

TEST(GivenProbabilities, MustBePositiveWhereTheRowIsNotZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double p : {0.0, -0.0, -0.5, nan}) {
    try {
      law_weights(Sampling::given, std::vector<double>{1.0, 1.0}, std::vector<double>{0.5, p});
      ADD_FAILURE() << p;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data);
      EXPECT_EQ(e.parts().where, "probabilities, row 2");
    }
  }
}

TEST(GivenProbabilities, MustBeFinite) {
  const std::vector<double> norms2(2, 1.0);
  const std::vector<double> given = {0.5, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(Sampler(law_weights(Sampling::given, norms2, given)), Error);
}

}  // namespace
}  // namespace polyak::test
