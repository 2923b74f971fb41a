#include "theory/parameters.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/decompositions.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

using nlohmann::json;

// Their numbers are strings with 17 digits.
double number(const json& spectrum, const char* name) {
  return std::stod(spectrum.at(name).get<std::string>());
}

json golden() {
  std::ifstream file(POLYAK_TEST_DATA "/golden.json");
  return json::parse(file);
}

template <class Check>
void for_each_golden_spectrum(Check check) {
  const json spectra = golden().at("spectra");
  ASSERT_EQ(spectra.size(), 8u);
  for (const auto& [name, spectrum] : spectra.items()) {
    SCOPED_TRACE(name);
    check(spectrum, number(spectrum, "lmin"), number(spectrum, "lmax"));
  }
  SCOPED_TRACE("sampling problem");
  const json sampling = golden().at("sampling_DG_expectation");
  check(sampling, number(sampling, "lmin"), number(sampling, "lmax"));
}

// A dozen roundings, and √l − √L, which loses at most a digit at kappa = 10.
void expect_same(double got, double expected) { EXPECT_NEAR(got / expected, 1.0, 1e-12); }

TEST(HeavyBall, HasTheParametersOfTheGoldenFile) {
  for_each_golden_spectrum([](const json& spectrum, double lmin, double lmax) {
    const auto [alpha, beta] = heavy_ball(lmin, lmax, 1e-3);
    expect_same(alpha, number(spectrum, "alpha"));
    expect_same(beta, number(spectrum, "beta"));
    expect_same(std::sqrt(beta), number(spectrum, "sqrt_beta"));
    const auto [alpha_star, beta_star] = heavy_ball(lmin, lmax, 0.0);
    expect_same(alpha_star, number(spectrum, "alpha_star"));
    expect_same(std::sqrt(beta_star), number(spectrum, "sqrt_beta_star"));
  });
}

TEST(Nesterov, HasTheParametersAndTheRateOfTheGoldenFile) {
  for_each_golden_spectrum([](const json& spectrum, double lmin, double lmax) {
    const json& nag = spectrum.at("NAG");
    const auto [alpha, beta] = nesterov(lmin, lmax, 1e-3);
    expect_same(alpha, number(nag, "alpha"));
    expect_same(beta, number(nag, "beta"));
    const auto [alpha_0, beta_0] = nesterov(lmin, lmax, 0.0);
    expect_same(beta_0, number(nag, "beta_gamma0"));
    // On the interval they are made for the worst block has a double root: a
    // relative error e in its coefficients moves it by √e.
    const double rate = number(nag, "rate"), rate_0 = number(nag, "rate_gamma0");
    const double l = number(spectrum, "l"), L = number(spectrum, "L");
    EXPECT_NEAR(nesterov_rate(alpha, beta, l, L) / rate, 1.0, 1e-7);
    EXPECT_NEAR(nesterov_rate(alpha_0, beta_0, lmin, lmax) / rate_0, 1.0, 1e-7);
    EXPECT_LT(nesterov_rate(alpha, beta, lmin, lmax), rate);
  });
}

TEST(HeuristicBatch, IsTheOneOfTheGoldenFile) {
  for_each_golden_spectrum([](const json& spectrum, double lmin, double lmax) {
    const auto [alpha, beta] = heavy_ball(lmin, lmax, 1e-3);
    const double F2 = number(spectrum, "F2"), expected = number(spectrum, "Bstar");
    expect_same(heuristic_batch(F2, lmax, 100, 1.0, alpha, beta), expected);
    expect_same(heuristic_batch(F2, lmax, 100, 9.5, alpha, beta), 9.5 * expected);
  });
}

TEST(HeuristicBatch, IsInfiniteWithoutMomentum) {
  EXPECT_EQ(heuristic_batch(10.0, 1.0, 5, 1.0, 0.1, 0.0), std::numeric_limits<double>::infinity());
}

// The spectral radius of z² − t·z + b by Eigen, from the 2 × 2 block.
double block_radius(double t, double b) {
  return test::spectral_radius(Eigen::MatrixXd{{t, -b}, {1.0, 0.0}});
}

struct Interval {
  double alpha, beta, lmin, lmax;
};
Interval any_interval() {
  const auto unit = rc::gen::map(rc::gen::inRange(1, 1000), [](int v) { return v / 1000.0; });
  const double lmax = 10.0 * *unit;
  return {.alpha = 3.0 * *unit / lmax, .beta = *unit, .lmin = lmax * *unit, .lmax = lmax};
}

// Near a double root both are only good to √eps.
RC_GTEST_PROP(HeavyBallRate, IsTheSpectralRadiusOfTheWorstBlock, ()) {
  const auto [alpha, beta, lmin, lmax] = any_interval();
  double worst = 0.0;
  for (int i = 0; i <= 50; ++i) {
    const double l = lmin + (lmax - lmin) * i / 50.0;
    worst = std::max(worst, block_radius(1.0 + beta - alpha * l, beta));
  }
  RC_ASSERT(std::abs(heavy_ball_rate(alpha, beta, lmin, lmax) - worst) < 1e-7);
}

RC_GTEST_PROP(NesterovRate, IsTheSpectralRadiusOfTheWorstBlock, ()) {
  const auto [alpha, beta, lmin, lmax] = any_interval();
  double worst = 0.0;
  for (int i = 0; i <= 50; ++i) {
    const double rest = 1.0 - alpha * (lmin + (lmax - lmin) * i / 50.0);
    worst = std::max(worst, block_radius((1.0 + beta) * rest, beta * rest));
  }
  RC_ASSERT(std::abs(nesterov_rate(alpha, beta, lmin, lmax) - worst) < 1e-7);
}

TEST(HeavyBallRate, OfTheBestParametersIsTheRootOfTheMomentum) {
  for (const double kappa : {1.5, 10.0, 1e4, 1e8}) {
    const auto [alpha, beta] = heavy_ball(1.0, kappa, 1e-3);
    expect_same(heavy_ball_rate(alpha, beta, 1.0, kappa), std::sqrt(beta));
  }
}

TEST(HeavyBallRate, WithoutMomentumIsThatOfGradientDescent) {
  const double alpha = gradient_descent_step(1.0, 9.0);
  EXPECT_EQ(alpha, 0.2);
  // (kappa − 1)/(kappa + 1)
  EXPECT_NEAR(heavy_ball_rate(alpha, 0.0, 1.0, 9.0), 0.8, 1e-15);
  EXPECT_NEAR(nesterov_rate(alpha, 0.0, 1.0, 9.0), 0.8, 1e-15);
}

TEST(HeavyBall, OnASpectrumOfOnePointIsAlmostGradientDescent) {
  const auto [alpha, beta] = heavy_ball(2.0, 2.0, 1e-3);
  EXPECT_NEAR(alpha, 0.5, 1e-6);
  EXPECT_LT(beta, 1e-6);
  EXPECT_GE(beta, 0.0);
}

TEST(HeavyBall, ScalesWithTheSpectrum) {
  const auto plain = heavy_ball(1.0, 50.0, 1e-3), large = heavy_ball(0x1p600, 50 * 0x1p600, 1e-3);
  EXPECT_EQ(large.momentum, plain.momentum);
  EXPECT_EQ(large.step_size, plain.step_size * 0x1p-600);
}

TEST(HeavyBall, OnASpectrumFromZeroTakesFullMomentum) {
  const auto [alpha, beta] = heavy_ball(0.0, 4.0, 1e-3);
  EXPECT_EQ(alpha, 1.0);
  EXPECT_EQ(beta, 1.0);
}

TEST(MinibatchSgdStep, GoesFromKaczmarzToGradientDescent) {
  EXPECT_EQ(minibatch_sgd_step(4.0, 100.0, 1.0, 1.0), 1.0 / 100.0);
  EXPECT_EQ(minibatch_sgd_step(4.0, 100.0, 3.0, 1.0), 1.0 / 300.0);
  EXPECT_NEAR(minibatch_sgd_step(4.0, 100.0, 1.0, 1e12), 0.25, 1e-10);
  double last = 0.0;
  for (double batch = 1.0; batch < 1e6; batch *= 2.0) {
    const double step = minibatch_sgd_step(4.0, 100.0, 2.0, batch);
    EXPECT_GT(step, last);
    last = step;
  }
}

}  // namespace
}  // namespace polyak::theory
