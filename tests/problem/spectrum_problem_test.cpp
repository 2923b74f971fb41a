#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/thread_team.hpp"
#include "dense_rows.hpp"
#include "linalg/blas.hpp"
#include "polyak/generate.hpp"
#include "problem/planted.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST(Spectrum, FollowsTheFormulasOfThePaper) {
  // ‖A‖_F² of the paper's problems at d = 100, from closed form.
  struct Case {
    Decay decay;
    double kappa, rho, sum;
  };
  const Case cases[] = {{Decay::exponential, 10, 0.1, 109.98877665544332},
                        {Decay::exponential, 10, 0.8, 143.18181818228114},
                        {Decay::algebraic, 10, 2, 401.51515151515152},
                        {Decay::algebraic, 10, 1, 550.0},
                        {Decay::exponential, 100, 0.1, 209.87654320987654},
                        {Decay::exponential, 100, 0.8, 575.00000000509259},
                        {Decay::algebraic, 100, 2, 3416.6666666666667},
                        {Decay::exponential, 50, 0.5, 197.01010101010101}};
  for (const auto& c : cases) {
    const auto s = squared_singular_values({.decay = c.decay, .kappa = c.kappa, .rho = c.rho});
    double sum = 0.0;
    for (double v : s) sum += v;
    EXPECT_NEAR(sum / c.sum, 1.0, 100 * eps);
    EXPECT_EQ(s.front(), 1.0);
    EXPECT_NEAR(s.back() / c.kappa, 1.0, 2 * eps);
  }
}

TEST(Spectrum, OneColumnHasOneSingularValue) {
  EXPECT_EQ(squared_singular_values({.rows = 1, .cols = 1, .kappa = 1.0}),
            std::vector<double>{1.0});
  EXPECT_ANY_THROW(squared_singular_values({.rows = 1, .cols = 1, .kappa = 2.0}));
  const auto p = generate(SpectrumProblem{.rows = 5, .cols = 1, .kappa = 1.0});
  EXPECT_NEAR(rows_of(*p.A).norm(), 1.0, 5 * eps);
}

// Singular values by an independent library, to d·eps·‖A‖ in absolute terms;
// cond(A) = 10, so to 1e-12 of each with room to spare.
void expect_spectrum(const GeneratedProblem& p) {
  const Vector found = singular_values(rows_of(*p.A));
  auto expected = p.squared_singular_values;
  std::sort(expected.rbegin(), expected.rend());
  ASSERT_EQ(found.size(), ssize(expected));
  for (Index j = 0; j < found.size(); ++j) {
    EXPECT_NEAR(found(j) / std::sqrt(expected[to_size(j)]), 1.0, 1e-12) << "singular value " << j;
  }
}

TEST(Spectrum, TheMatrixHasTheSingularValuesAsked) {
  for (Decay decay : {Decay::exponential, Decay::algebraic}) {
    const SpectrumProblem base{.rows = 3000, .cols = 30, .decay = decay, .kappa = 100, .rho = 0.8};
    for (Index rows : {3000, 31, 30}) {  // tall, nearly square, square
      SpectrumProblem problem = base;
      problem.rows = rows;
      expect_spectrum(generate(problem, {.seed = 4}));
    }
  }
  expect_spectrum(generate(SpectrumProblem{.rows = 2, .cols = 2}, {.seed = 4}));
}

TEST(Spectrum, AGivenListMayHoldZeros) {
  const auto p = generate(SpectrumProblem{
      .rows = 200, .cols = 3, .decay = Decay::given, .squared_singular_values = {4.0, 0.0, 9.0}});
  const Vector found = singular_values(rows_of(*p.A));
  EXPECT_NEAR(found(0), 3.0, rounding(9, 3.0));
  EXPECT_NEAR(found(1), 2.0, rounding(9, 3.0));
  EXPECT_NEAR(found(2), 0.0, rounding(9, 3.0));
}

Matrix haar(Index rows, Index cols, std::uint64_t seed) {
  Matrix Q(rows, cols);
  ThreadTeam team(1);
  const Buffer R = haar_frame(view(Q), Random(seed, stream::left_vectors), team);
  solve_right(R.view(), view(Q));
  return Q;
}

TEST(Haar, ColumnsAreOrthonormalToMachinePrecision) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{5000, 20}, {100, 100}, {1, 1}, {2, 2}}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Matrix Q = haar(rows, cols, seed);
      const double error = (Q.transpose() * Q - Matrix::Identity(cols, cols)).norm();
      EXPECT_LT(error, rounding(cols, std::sqrt(static_cast<double>(cols))));
    }
  }
}

// For Q uniform on O(5): E Q_ij = 0, E Q_ij² = 1/5, and the trace has the
// moments of N(0, 1) up to the fourth. A QR without the sign of R repaired
// fails the first at once.
TEST(Haar, FollowsTheInvariantLaw) {
  constexpr int trials = 2000;
  double corner = 0.0, trace = 0.0, trace2 = 0.0, corner2 = 0.0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const Matrix Q = haar(5, 5, seed);
    corner += Q(0, 0);
    corner2 += Q(0, 0) * Q(0, 0);
    trace += Q.trace();
    trace2 += Q.trace() * Q.trace();
  }
  const double root = std::sqrt(trials);
  EXPECT_LT(std::abs(corner), five_sigma * root * std::sqrt(1.0 / 5.0));
  // E Q_ij⁴ = 3/(n(n+2)) = 3/35, so the variance of Q_ij² is 3/35 − 1/25.
  EXPECT_NEAR(corner2, trials / 5.0, five_sigma * root * std::sqrt(3.0 / 35.0 - 1.0 / 25.0));
  EXPECT_LT(std::abs(trace), five_sigma * root);
  EXPECT_NEAR(trace2, trials, five_sigma * root * std::sqrt(2.0));
}

TEST(Spectrum, NoiseMovesTheSolutionByWhatTheoryPredicts) {
  // E‖x* − x‖² = noise²·tr((AᵀA)⁻¹)/n, spread over d chi-squared terms.
  const double noise = 1e-5;
  const auto p =
      generate(SpectrumProblem{.rows = 4000, .cols = 20, .kappa = 50}, {.seed = 2, .noise = noise});
  double mean = 0.0, variance = 0.0;
  for (double s : p.squared_singular_values) {
    const double term = noise * noise / s / 4000.0;
    mean += term;
    variance += 2.0 * term * term;
  }
  const double found = (vector(p.x_least_squares) - vector(p.x_planted)).squaredNorm();
  EXPECT_NEAR(found, mean, five_sigma * std::sqrt(variance));
  EXPECT_NEAR(p.residual_norm / noise, std::sqrt(1.0 - 20.0 / 4000.0), 2e-3);
}

}  // namespace
}  // namespace polyak::test
