// nu of the accelerated Kaczmarz method and eta_eff of a sampling law.

#include <gtest/gtest.h>

#include <cmath>

#include "core/statistics.hpp"
#include "polyak/generate.hpp"
#include "problems.hpp"
#include "sampling/law.hpp"
#include "spectrum/extremes.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

double nu(const Problem& problem, int threads = 2) {
  ThreadTeam team(threads);
  return coherence_nu(problem, gather_facts(problem, team), team);
}

// ‖A‖_F²·max_i a_iᵀH⁺a_i/‖a_i‖², straight from the formula.
double direct_nu(const Matrix& A) {
  const Matrix inverse = pseudo_inverse(A.transpose() * A);
  double largest = 0.0;
  for (Index i = 0; i < A.rows(); ++i) {
    if (A.row(i).norm() == 0.0) continue;
    const double leverage = (A.row(i) * inverse * A.row(i).transpose())(0);
    largest = std::max(largest, leverage / A.row(i).squaredNorm());
  }
  return A.squaredNorm() * largest;
}

// Both invert AᵀA: its condition number (below 1e4 here) times n·eps.
constexpr double inversion = 1e-8;

TEST(CoherenceNu, AgreesWithItsFormula) {
  for (const auto& [n, d] : {std::pair<Index, Index>{1, 1}, {3, 2}, {5, 5}, {40, 7}, {700, 20}}) {
    Matrix A = normal(n, d, 91);
    if (n > 20) A.row(11).setZero();
    EXPECT_NEAR(nu(dense_problem(A)) / direct_nu(A), 1.0, inversion) << n << " x " << d;
    const Vector w = normal(n, 1, 92).cwiseAbs().array() + 0.1;
    EXPECT_NEAR(nu(dense_problem(A, Matrix::Zero(n, 1), w)) / direct_nu(weighted(A, w)), 1.0,
                inversion);
  }
}

TEST(CoherenceNu, LeavesOutWhatARankDeficientMatrixDoesNotSee) {
  const Matrix A = normal(60, 3, 93) * normal(3, 8, 94);
  EXPECT_NEAR(nu(dense_problem(A)) / direct_nu(A), 1.0, inversion);
  const Matrix equal = Vector::Ones(1000) * normal(1, 5, 95);  // every leverage is 1/n
  EXPECT_NEAR(nu(dense_problem(equal)), 1.0, inversion);
}

TEST(CoherenceNu, IsAtLeastTheRank) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_GE(nu(dense_problem(normal(50, 6, seed))), 6.0 * (1.0 - inversion));
  EXPECT_NEAR(nu(dense_problem(Matrix::Identity(9, 9))), 9.0, 9 * inversion);
}

TEST(CoherenceNu, DoesNotDependOnTheScaleOfA) {
  const Matrix A = normal(50, 6, 96);
  for (const int k : {-900, 900})
    EXPECT_NEAR(nu(dense_problem(std::ldexp(1.0, k) * A)) / nu(dense_problem(A)), 1.0, 1e-12);
}

TEST(CoherenceNu, IsItsBoundWhereAtACannotBeFormed) {
  const Index d = most_exact_columns + 1;
  const Matrix A = sparse_normal(6, d, 97, 8);
  const auto problem = sparse_problem(A, Matrix::Zero(6, 1));
  double smallest = A.squaredNorm();
  for (Index i = 0; i < 6; ++i)
    if (A.row(i).norm() > 0.0) smallest = std::min(smallest, A.row(i).squaredNorm());
  EXPECT_NEAR(nu(problem) / (A.squaredNorm() / smallest), 1.0, 4e3 * eps);
}

TEST(CoherenceNu, HasTheSameBitsForAnyNumberOfThreads) {
  const auto problem = dense_problem(normal(3000, 30, 98));
  for (const int threads : {2, 7}) EXPECT_EQ(nu(problem, threads), nu(problem, 1));
}

struct EffectiveEta {
  double value, lambda_max;
};
EffectiveEta effective(const Problem& problem, Sampling law, int threads = 2) {
  ThreadTeam team(threads);
  const auto facts = gather_facts(problem, team);
  const Sampler sampler(law_weights(law, facts.norms2, {}));
  std::vector<double> ratio(facts.norms2.size(), 0.0);
  for (std::size_t j = 0; j < ratio.size(); ++j)
    if (facts.norms2[j] > 0.0)
      ratio[j] = facts.norms2[j] / sampler.probability(static_cast<Index>(j));
  const double lambda_max = extremes(problem, facts, team, 1).lambda_max;
  return {effective_eta(problem, facts, lambda_max, ratio, team, 1), lambda_max};
}

// ‖Σ p_i⁻¹‖a_i‖² a_i a_iᵀ‖/(‖A‖_F² lambda_max) for uniform p, via rows: the
// matrix with rows a_i·‖a_i‖·√n.
double direct_uniform_eta(const Matrix& A) {
  Matrix rows = A;
  double nonzero = 0.0;
  for (Index i = 0; i < A.rows(); ++i) {
    rows.row(i) *= A.row(i).norm();
    nonzero += A.row(i).norm() > 0.0;
  }
  const auto top = [](const Matrix& m) { return squared_singular_values(m)(m.cols() - 1); };
  return nonzero * top(rows) / (A.squaredNorm() * top(A));
}

TEST(EffectiveEta, OfUniformSamplingAgreesWithItsFormula) {
  for (const auto& [n, d] : {std::pair<Index, Index>{1, 1}, {3, 2}, {5, 5}, {40, 7}, {700, 20}}) {
    Matrix A = sparse_normal(n, d, 101, n > 20 ? 4 : 0);
    // Sums of n products and an eigenvalue, twice.
    const double bound = static_cast<double>(8 * (n + d)) * eps;
    EXPECT_NEAR(effective(dense_problem(A), Sampling::uniform).value / direct_uniform_eta(A), 1.0,
                bound + 1e-12);
    const Vector w = normal(n, 1, 102).cwiseAbs().array() + 0.1;
    EXPECT_NEAR(effective(dense_problem(A, Matrix::Zero(n, 1), w), Sampling::uniform).value /
                    direct_uniform_eta(weighted(A, w)),
                1.0, bound + 1e-12);
  }
}

TEST(EffectiveEta, OfRowNormSamplingIsOne) {
  const Matrix A = sparse_normal(500, 9, 103);
  EXPECT_NEAR(effective(dense_problem(A), Sampling::row_norm).value, 1.0, 1e-9);
}

TEST(EffectiveEta, IsNeverAboveEta) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = dense_problem(normal(60, 4, seed));
    ThreadTeam team(1);
    const auto facts = gather_facts(problem, team);
    for (const Sampling law : {Sampling::uniform, Sampling::mixed}) {
      const Sampler sampler(law_weights(law, facts.norms2, {}));
      const double eta = sampling_eta(sampler, facts.norms2, facts.frobenius2);
      EXPECT_LE(effective(problem, law).value, eta * (1.0 + 1e-12));
    }
  }
}

TEST(EffectiveEta, IsFoundByLanczosWhereAtACannotBeFormed) {
  const Index d = most_exact_columns + 1;
  Matrix A = sparse_normal(12, d, 104, 9);
  A.row(0) *= 10.0;  // one row far above the others: both top eigenvalues stand alone
  const auto got = effective(sparse_problem(A, Matrix::Zero(12, 1)), Sampling::uniform);
  const double top = squared_singular_values(Matrix(A * A.transpose())).cwiseSqrt().maxCoeff();
  EXPECT_NEAR(got.value * got.lambda_max / (direct_uniform_eta(A) * top), 1.0, 1e-9);
}

// The population of D·G: E X/(E Y·E Z) for X = ‖a‖²(uᵀa)², Y = ‖a‖², Z = (uᵀa)²
// with u the vector of equal entries; with m entries in a row of D = s they are
// s⁴m³/d, s²m and s²m²/d. Its relative error from n rows has the variance of
// X/EX − Y/EY − Z/EZ over n; significance 1e-6.
TEST(EffectiveEta, OfTheSamplingProblemIsThatOfItsPopulationWithinSamplingError) {
  constexpr int d = 100;
  double moments[5][2] = {}, variance = 0.0;  // [power of m][which D], times its probability
  const auto probability = [](int m) {
    return std::exp(std::lgamma(d + 1.0) - std::lgamma(m + 1.0) - std::lgamma(d - m + 1.0) +
                    m * std::log(0.1) + (d - m) * std::log(0.9));
  };
  for (int m = 0; m <= d; ++m)
    for (int power = 0; power < 5; ++power)
      for (int s = 0; s < 2; ++s)
        moments[power][s] += probability(m) * std::pow(m, power) * (s == 0 ? 0.9 : 0.1);
  const auto mean = [&](int power_of_d, int power) {
    return moments[power][0] + std::pow(10.0, power_of_d) * moments[power][1];
  };
  const double EX = mean(4, 3) / d, EY = mean(2, 1), EZ = mean(2, 2) / d;
  const double population = EX / (EY * EZ);
  EXPECT_NEAR(population, 9.8712035020065188, 1e-12);
  for (int m = 0; m <= d; ++m) {
    for (const double s : {1.0, 10.0}) {
      const double X = std::pow(s, 4) * m * m * m / d, Y = s * s * m, Z = s * s * m * m / d;
      const double deviation = X / EX - Y / EY - Z / EZ + 1.0;
      variance += probability(m) * (s == 1.0 ? 0.9 : 0.1) * deviation * deviation;
    }
  }
  constexpr Index n = 100'000;
  SamplingProblem shape;
  shape.rows = n;
  shape.cols = d;
  GenerateOptions options;
  options.seed = 12;
  const auto made = generate(shape, options);
  ProblemData data;
  data.A = made.A;
  data.b = made.b;
  const double value = effective(Problem(std::move(data)), Sampling::uniform).value;
  const double sigma = std::sqrt(variance / static_cast<double>(n));
  EXPECT_LT(sigma, 0.01);
  EXPECT_GT(two_sided((value / population - 1.0) / sigma), significance) << value;
}

TEST(EffectiveEta, HasTheSameBitsForAnyNumberOfThreads) {
  const auto problem = dense_problem(normal(3000, 30, 105));
  const double one = effective(problem, Sampling::mixed, 1).value;
  for (const int threads : {2, 7})
    EXPECT_EQ(effective(problem, Sampling::mixed, threads).value, one);
}

}  // namespace
}  // namespace polyak::test
