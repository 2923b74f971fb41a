#include "spectrum/extremes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "problems.hpp"
#include "spectrum/gram.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

Extremes exact(const Problem& problem, int threads = 2) {
  ThreadTeam team(threads);
  return exact_extremes(problem, gather_facts(problem, team), team);
}

// ÃᵀÃ is off by gram_additions·eps·‖A‖_F², its eigenvalues by d·eps·lambda_max.
double error_bound(const Problem& problem, const Matrix& A) {
  return (gram_additions(problem.A()) + 4.0 * static_cast<double>(A.cols())) * eps *
         A.squaredNorm();
}

void expect_extremes(const Extremes& got, const Matrix& A, const Problem& problem, Index rank) {
  const Vector values = squared_singular_values(A);
  const double bound = error_bound(problem, A);
  EXPECT_NEAR(got.lambda_max, values(values.size() - 1), bound);
  EXPECT_NEAR(got.lambda_min, values(values.size() - rank), bound);
  EXPECT_EQ(got.rank, rank);
  EXPECT_TRUE(got.exact);
  EXPECT_EQ(got.source, "exact");
}

TEST(ExactExtremes, AgreeWithEigen) {
  for (const auto& [n, d] : {std::pair<Index, Index>{1, 1},
                             {2, 1},
                             {3, 2},
                             {5, 3},
                             {5, 5},
                             {40, 17},
                             {300, 30},
                             {2000, 25}}) {
    const Matrix A = normal(n, d, 71), b = Matrix::Zero(n, 1);
    const auto problem = dense_problem(A);
    expect_extremes(exact(problem), A, problem, d);
    const auto sparse = sparse_problem(A, b);
    expect_extremes(exact(sparse), A, sparse, d);
    const Vector w = normal(n, 1, 72).cwiseAbs2().array() + 0.1;
    const auto with_weights = dense_problem(A, b, w);
    expect_extremes(exact(with_weights), weighted(A, w), with_weights, d);
  }
}

TEST(ExactExtremes, TakeTheSmallestEigenvalueThatIsNotZeroWhenColumnsDepend) {
  for (const auto& [n, d, rank] : {std::tuple<Index, Index, Index>{10, 4, 2},
                                   {300, 20, 7},
                                   {1000, 6, 5},
                                   {50, 50, 49},
                                   {9, 3, 1}}) {
    const Matrix A = normal(n, rank, 73) * normal(rank, d, 74);
    const auto problem = dense_problem(A);
    expect_extremes(exact(problem), A, problem, rank);
  }
}

TEST(ExactExtremes, HaveTheRankOfTheRowsWhenThereAreFewerThanColumns) {
  for (const auto& [n, d] : {std::pair<Index, Index>{1, 2}, {1, 5}, {2, 3}, {3, 40}, {20, 100}}) {
    const Matrix A = normal(n, d, 75);
    const auto problem = dense_problem(A);
    expect_extremes(exact(problem), A, problem, n);
  }
}

// Rounding makes zero eigenvalues of AᵀA positive, above d·eps·lambda_max.
TEST(ExactExtremes, SeeThatEqualRowsHaveRankOne) {
  for (const Index n : {100, 300, 1000, 30'000}) {
    for (const Index d : {2, 3, 5}) {
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const Matrix row = normal(1, d, seed), A = Vector::Ones(n) * row;
        const auto problem = dense_problem(A);
        const auto got = exact(problem);
        ASSERT_EQ(got.rank, 1) << n << " rows of " << d << ", seed " << seed;
        ASSERT_EQ(got.lambda_min, got.lambda_max);
        const double expected = static_cast<double>(n) * row.squaredNorm();
        ASSERT_NEAR(got.lambda_max, expected, error_bound(problem, A));
      }
    }
  }
}

// Beyond what the sums in AᵀA resolve: sigma_min is known to d·eps·sigma_max
// from R, so lambda_min to 2·d·eps·√kappa, some 1e-8 of itself.
TEST(ExactExtremes, ResolveASmallEigenvalueByFactoringARatherThanAtA) {
  const Vector squared{{1.0, 0.5, 0.3, 2e-14}};
  const Matrix A = with_spectrum(1000, squared, 4, 76);
  const auto got = exact(dense_problem(A));
  EXPECT_EQ(got.rank, 4);
  EXPECT_NEAR(got.lambda_min / 2e-14, 1.0, 1e-6);
  EXPECT_EQ(got.rows_read, 2000.0);
}

TEST(ExactExtremes, ScaleWithThePowersOfTwoInTheFacts) {
  const Matrix A = normal(60, 6, 77);
  const auto plain = exact(dense_problem(A));
  for (const int k : {-900, -300, 300, 900}) {
    const auto problem = dense_problem(std::ldexp(1.0, k) * A);
    ThreadTeam team(1);
    const auto facts = gather_facts(problem, team);
    const int a = 2 * (k + std::ilogb(facts.scale.a));
    const auto got = exact_extremes(problem, facts, team);
    // The eigenvalue iteration may compare with absolute numbers.
    EXPECT_NEAR(std::ldexp(got.lambda_max, -a) / plain.lambda_max, 1.0, 40 * eps) << k;
    EXPECT_NEAR(std::ldexp(got.lambda_min, -a), plain.lambda_min, 40 * eps * plain.lambda_max) << k;
  }
}

TEST(ExactExtremes, OfZeroAndEmptyMatricesAreZero) {
  for (const auto& [n, d] : {std::pair<Index, Index>{0, 0}, {0, 3}, {3, 0}, {4, 2}}) {
    const auto got = exact(dense_problem(Matrix::Zero(n, d)));
    EXPECT_EQ(got.lambda_max, 0.0);
    EXPECT_EQ(got.lambda_min, 0.0);
    EXPECT_EQ(got.rank, 0);
  }
}

TEST(ExactExtremes, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto problem = dense_problem(normal(3000, 40, 78));
  const auto doubtful = dense_problem(Vector::Ones(3000) * normal(1, 3, 2));
  for (const auto* p : {&problem, &doubtful}) {
    const auto one = exact(*p, 1);
    for (const int threads : {2, 7}) {
      EXPECT_EQ(exact(*p, threads).lambda_min, one.lambda_min);
      EXPECT_EQ(exact(*p, threads).lambda_max, one.lambda_max);
    }
  }
}

TEST(Extremes, AreExactWhereAtACanBeFormedAndSaySo) {
  ThreadTeam team(2);
  const auto narrow = dense_problem(normal(30, 10, 79));
  EXPECT_TRUE(extremes(narrow, gather_facts(narrow, team), team, 1).exact);
  const auto wide =
      sparse_problem(sparse_normal(4, most_exact_columns + 1, 80, 9), Matrix::Zero(4, 1));
  const auto estimate = extremes(wide, gather_facts(wide, team), team, 1);
  EXPECT_FALSE(estimate.exact);
  EXPECT_EQ(estimate.source, "lanczos estimate");
}

}  // namespace
}  // namespace polyak::test
