#include <gtest/gtest.h>

#include <cmath>

#include "dense_rows.hpp"
#include "polyak/generate.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double mean_d2 = 0.9 + 0.1 * 100.0;    // E D², D = 1 or 10
constexpr double mean_d4 = 0.9 + 0.1 * 10000.0;  // E D⁴

// E m^k for m binomial(d, 1/10): the entries of a row of G.
double binomial_moment(int d, int k) {
  double sum = 0.0;
  for (int m = 0; m <= d; ++m) {
    const double log_p = std::lgamma(d + 1.0) - std::lgamma(m + 1.0) - std::lgamma(d - m + 1.0) +
                         m * std::log(0.1) + (d - m) * std::log(0.9);
    sum += std::pow(m, k) * std::exp(log_p);
  }
  return sum;
}

// A sum over n rows of D²·y, given E y and E y².
void expect_sum(double found, Index n, double mean_y, double mean_y2) {
  const auto rows = static_cast<double>(n);
  const double variance = mean_d4 * mean_y2 - mean_d2 * mean_d2 * mean_y * mean_y;
  EXPECT_NEAR(found, rows * mean_d2 * mean_y, five_sigma * std::sqrt(rows * variance));
}

// Population values at n = 10⁶, d = 100: ‖A‖_F² = 1.09e8, and AᵀA has the
// eigenvalue 981,000 on vectors that sum to zero and 11,881,000 on (1, …, 1).
TEST(SamplingProblem, HasTheMomentsOfThePopulation) {
  constexpr Index n = 20000;
  constexpr int d = 100;
  const double m1 = binomial_moment(d, 1), m2 = binomial_moment(d, 2), m4 = binomial_moment(d, 4);
  EXPECT_NEAR(1e6 * mean_d2 * m1, 1.09e8, 1.0);
  EXPECT_NEAR(1e6 * mean_d2 * m2 / d, 11881000.0, 1.0);
  const auto p = generate(SamplingProblem{.rows = n, .cols = d}, {.seed = 11});
  const Matrix A = rows_of(*p.A);
  expect_sum(A.squaredNorm(), n, m1, m2);
  expect_sum(A.rowwise().sum().squaredNorm() / d, n, m2 / d, m4 / (d * d));
  // (g_1 − g_2)²/2 is 1/2 with probability 0.18.
  expect_sum((A.col(0) - A.col(1)).squaredNorm() / 2.0, n, 0.09, 0.045);
  EXPECT_NEAR(1e6 * mean_d2 * 0.09, 981000.0, 1.0);
}

TEST(SamplingProblem, EntriesAreZeroOneOrTenAndAlikeInARow) {
  constexpr Index n = 20000, d = 20;
  const Matrix A = rows_of(*generate(SamplingProblem{.rows = n, .cols = d}, {.seed = 1}).A);
  double stored = 0.0, rows = 0.0, large = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double value = A.row(i).maxCoeff();
    EXPECT_TRUE(value == 0.0 || value == 1.0 || value == 10.0);
    const auto count = static_cast<double>((A.row(i).array() == value).count());
    if (value == 0.0) continue;
    EXPECT_EQ(A.row(i).sum(), count * value);
    stored += count;
    rows += 1.0;
    large += value == 10.0;
  }
  EXPECT_NEAR(stored, 0.1 * n * d, five_sigma * std::sqrt(0.09 * n * d));
  EXPECT_NEAR(large, 0.1 * rows, five_sigma * std::sqrt(0.09 * rows));
}

TEST(SamplingProblem, IsTheSameMatrixDenseAndSparse) {
  const auto sparse = generate(SamplingProblem{.rows = 500, .cols = 30}, {.seed = 1});
  const auto dense = generate(SamplingProblem{.rows = 500, .cols = 30, .dense = true}, {.seed = 1});
  EXPECT_EQ(rows_of(*sparse.A), rows_of(*dense.A));
  EXPECT_EQ(vector(sparse.x_planted), vector(dense.x_planted));
  EXPECT_LT(sparse.A->nonzeros(), dense.A->nonzeros());
}

TEST(StackedProblem, IsTheProblemOfTheTwoDimensionalFigure) {
  const auto p = generate(StackedProblem{});
  const Matrix A = rows_of(*p.A);
  ASSERT_EQ(A.rows(), 200);
  ASSERT_EQ(A.cols(), 2);
  Eigen::Matrix2d U;
  U << std::cos(1.2), -std::sin(1.2), std::sin(1.2), std::cos(1.2);
  const Eigen::Matrix2d M = U.transpose() * Eigen::Vector2d(1.0, 2.25).asDiagonal() * U;
  for (Index k = 0; k < 100; ++k) EXPECT_LT((A.middleRows(2 * k, 2) - M).norm(), 8 * eps);
  EXPECT_EQ(vector(p.b).norm(), 0.0);
  EXPECT_EQ(vector(p.x_planted).norm(), 0.0);
  EXPECT_EQ(p.squared_singular_values, (std::vector<double>{100.0, 506.25}));
  const Matrix H = A.transpose() * A;
  const Vector found = symmetric_eigen(H).values;
  EXPECT_NEAR(found(0), 100.0, rounding(200, 506.25));
  EXPECT_NEAR(found(1), 506.25, rounding(200, 506.25));
}

TEST(GaussianProblem, HasIndependentStandardNormalEntries) {
  const auto p = generate(GaussianProblem{.rows = 2000, .cols = 50}, {.seed = 8});
  const Matrix A = rows_of(*p.A);
  const auto a = A.array();
  const double N = 1e5;
  EXPECT_LT(std::abs(a.sum()), five_sigma * std::sqrt(N));
  EXPECT_NEAR(a.square().sum(), N, five_sigma * std::sqrt(2.0 * N));
  EXPECT_LT(std::abs(a.cube().sum()), five_sigma * std::sqrt(15.0 * N));
  EXPECT_NEAR(a.pow(4).sum(), 3.0 * N, five_sigma * std::sqrt(96.0 * N));
  // Neighbours in a row (drawn as a pair) and in a column.
  const double across = (A.leftCols(49).array() * A.rightCols(49).array()).sum();
  const double down = (A.topRows(1999).array() * A.bottomRows(1999).array()).sum();
  EXPECT_LT(std::abs(across), five_sigma * std::sqrt(2000.0 * 49.0));
  EXPECT_LT(std::abs(down), five_sigma * std::sqrt(1999.0 * 50.0));
}

TEST(GaussianProblem, MayBeWide) {
  const auto p = generate(GaussianProblem{.rows = 5, .cols = 12}, {.seed = 1, .noise = 1.0});
  const Vector r = rows_of(*p.A) * vector(p.x_least_squares) - vector(p.b);
  EXPECT_LT(r.norm(), rounding(60, vector(p.b).norm()));
  EXPECT_LT(p.residual_norm, rounding(60, vector(p.b).norm()));
}

}  // namespace
}  // namespace polyak::test
