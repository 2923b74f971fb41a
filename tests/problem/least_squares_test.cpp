#include "problem/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/thread_team.hpp"
#include "dense_rows.hpp"
#include "linalg/fortran.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

LeastSquaresResult solve(const Matrix& A, const Matrix& B, const std::vector<double>& weights = {},
                         double ridge = 0.0, int threads = 2, Scale scale = {}) {
  ThreadTeam team(threads);
  return qr_least_squares(*row_matrix(A), view(B), weights, {ridge}, team, scale);
}

// One vector per column.
Matrix solution(const LeastSquaresResult& r, Index d) {
  const Index c = ssize(r.x) / d;
  return Eigen::Map<const Matrix>(r.x.data(), c, d).transpose();
}

// LAPACK's own answer on the whole matrix.
Matrix dgelsd(const Matrix& A, const Matrix& B) {
  Eigen::MatrixXd a = A;
  const auto m = blas_int(A.rows()), n = blas_int(A.cols()), c = blas_int(B.cols());
  const BlasInt longest = std::max(m, n);
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(longest, c);
  b.topRows(m) = B;
  Vector s(std::min(m, n)), work(100000);
  std::vector<BlasInt> int_work(10000);
  const auto lwork = blas_int(work.size());
  const double rcond = static_cast<double>(longest) * eps;
  BlasInt rank = 0, info = 0;
  dgelsd_(&m, &n, &c, a.data(), &m, b.data(), &longest, s.data(), &rcond, &rank, work.data(),
          &lwork, int_work.data(), &info);
  return b.topRows(n);
}

// Singular values between 1 and 2: the solution moves by no more than a few
// times the backward error.
Matrix of_rank(Index rows, Index cols, Index rank) {
  const Vector sigma = Vector::LinSpaced(rank, 2.0, 1.0);
  return orthonormal(rows, rank, 1) * sigma.asDiagonal() * orthonormal(cols, rank, 2).transpose();
}

struct Shape {
  Index rows, cols, rank;
};
class QrLeastSquares : public ::testing::TestWithParam<Shape> {};

TEST_P(QrLeastSquares, AgreesWithLapackOnTheWholeMatrix) {
  const auto [n, d, rank] = GetParam();
  const Matrix A = of_rank(n, d, rank), B = normal(n, 3, 3);
  const auto result = solve(A, B);
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(result.rank, rank);
  const Matrix X = solution(result, d);
  EXPECT_LT((X - dgelsd(A, B)).norm(), rounding(n * d, B.norm()));
  ASSERT_EQ(ssize(result.singular_values), std::min(n, d));
  for (Index i = 0; i < rank; ++i) {
    const double t = rank == 1 ? 1.0 : static_cast<double>(i) / static_cast<double>(rank - 1);
    EXPECT_NEAR(result.singular_values[to_size(i)], 2.0 - t, rounding(n * d, 2.0));
  }
  for (Index c = 0; c < 3; ++c) {
    const double norm = (A * X.col(c) - B.col(c)).norm();
    EXPECT_NEAR(result.residual_norms[to_size(c)], norm, rounding(n * d, B.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, QrLeastSquares,
                         ::testing::Values(Shape{50, 6, 6}, Shape{6, 6, 6}, Shape{7, 6, 6},
                                           Shape{50, 6, 4}, Shape{6, 6, 1}, Shape{5, 12, 5},
                                           Shape{5, 12, 2}, Shape{1, 1, 1}, Shape{1, 9, 1},
                                           Shape{9000, 4, 4}));

TEST(LeastSquares, TheResidualIsOrthogonalToTheColumns) {
  const Matrix A = normal(6000, 8, 1), B = normal(6000, 1, 2);
  const Matrix r = A * solution(solve(A, B), 8) - B;
  EXPECT_LT((A.transpose() * r).norm(), rounding(6000, A.norm() * r.norm()));
}

TEST(LeastSquares, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix A = normal(20000, 5, 1), B = normal(20000, 2, 2);
  const auto one = solve(A, B, {}, 0.25, 1);
  for (int threads : {2, 3, 7}) {
    const auto other = solve(A, B, {}, 0.25, threads);
    EXPECT_EQ(other.x, one.x) << threads << " threads";
    EXPECT_EQ(other.singular_values, one.singular_values);
    EXPECT_EQ(other.residual_norms, one.residual_norms);
  }
}

TEST(LeastSquares, AWeightOfKIsTheSameAsTheRowKTimes) {
  const Matrix A = normal(40, 5, 1), B = normal(40, 2, 2);
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 40; ++i) {
    weights.push_back(static_cast<double>(i % 4));  // zero leaves a row out
    for (Index k = 0; k < i % 4; ++k) repeated.push_back(i);
  }
  Matrix A2(ssize(repeated), 5), B2(ssize(repeated), 2);
  for (Index i = 0; i < A2.rows(); ++i) {
    A2.row(i) = A.row(repeated[to_size(i)]);
    B2.row(i) = B.row(repeated[to_size(i)]);
  }
  const auto weighted = solve(A, B, weights), copied = solve(A2, B2);
  const Matrix difference = solution(weighted, 5) - solution(copied, 5);
  EXPECT_LT(difference.norm(), rounding(A2.rows() * 5, B2.norm()));
  EXPECT_NEAR(weighted.residual_norms[0], copied.residual_norms[0], rounding(200, B2.norm()));
}

TEST(LeastSquares, UnitWeightsGiveExactlyTheUnweightedAnswer) {
  const Matrix A = normal(60, 5, 1), B = normal(60, 1, 2);
  EXPECT_EQ(solve(A, B, std::vector<double>(60, 1.0)).x, solve(A, B).x);
}

TEST(LeastSquares, ARidgeIsTheSameAsRowsOfTheIdentity) {
  for (Index n : {30, 6, 4, 1}) {  // tall, square and wide
    const Matrix A = normal(n, 6, 1), B = normal(n, 2, 2);
    const double ridge = 0.3;
    Matrix A2(n + 6, 6), B2 = Matrix::Zero(n + 6, 2);
    A2 << A, Matrix(std::sqrt(ridge) * Matrix::Identity(6, 6));
    B2.topRows(n) = B;
    const auto result = solve(A, B, {}, ridge);
    const Matrix X = solution(result, 6);
    EXPECT_LT((X - dgelsd(A2, B2)).norm(), rounding((n + 6) * 6, B.norm() / std::sqrt(ridge)));
    const double norm = (A * X.col(0) - B.col(0)).norm();
    EXPECT_NEAR(result.residual_norms[0], norm, rounding(n * 6, B.norm()));
  }
}

TEST(LeastSquares, ExtremeDataScaledByPowersOfTwoGivesTheSameBits) {
  for (Index n : {50, 3}) {
    const Matrix A = normal(n, 4, 1), B = normal(n, 1, 2);
    const auto base = solve(A, B);
    for (int e : {600, -600}) {
      const double huge = std::scalbn(1.0, e), tiny = std::scalbn(1.0, -e);
      const auto both = solve(huge * A, huge * B, {}, 0.0, 2, {tiny, tiny});
      EXPECT_EQ(both.x, base.x);
      const auto scaled = solve(huge * A, B, {}, 0.0, 2, {tiny, 1.0});
      for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(scaled.x[j], std::scalbn(base.x[j], -e));
      EXPECT_EQ(scaled.residual_norms, base.residual_norms);
      EXPECT_EQ(scaled.singular_values[0], std::scalbn(base.singular_values[0], e));
    }
  }
}

TEST(LeastSquares, ScalingLeavesTheMeaningOfTheRidgeAlone) {
  const Matrix A = normal(50, 4, 1), B = normal(50, 1, 2);
  const Matrix A2 = std::scalbn(1.0, 300) * A;
  const auto base = solve(A, B, {}, 0.25);
  const auto scaled =
      solve(A2, B, {}, std::scalbn(0.25, 600), 2, {std::scalbn(1.0, -300), std::scalbn(1.0, 20)});
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(scaled.x[j], std::scalbn(base.x[j], -300));
}

TEST(LeastSquares, EmptyAndZeroProblemsHaveTheZeroSolution) {
  for (const auto& [n, d] : {std::pair<Index, Index>{0, 3}, {3, 0}, {0, 0}, {5, 3}, {2, 3}}) {
    const Matrix B = normal(n, 2, 1);
    for (double ridge : {0.0, 1.0}) {
      const auto result = solve(Matrix::Zero(n, d), B, {}, ridge);
      ASSERT_TRUE(result.ok);
      EXPECT_EQ(result.x, std::vector<double>(to_size(2 * d), 0.0));
      EXPECT_EQ(result.rank, ridge == 0.0 ? 0 : std::min(n, d));
      for (Index c = 0; c < 2; ++c) {
        EXPECT_NEAR(result.residual_norms[to_size(c)], B.col(c).norm(), rounding(n, B.norm()));
      }
    }
  }
}

TEST(LeastSquares, DataThatIsNotFiniteIsNotAnAnswer) {
  for (Index n : {9, 2}) {
    Matrix A = normal(n, 3, 1);
    const Matrix B = normal(n, 1, 2);
    A(1, 1) = std::nan("");
    const auto result = solve(A, B);
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.x, std::vector<double>(3, 0.0));
  }
}

TEST(LeastSquares, KeepsDigitsThatTheNormalEquationsLose) {
  Vector sigma(3);
  sigma << 1.0, 1e-4, 1e-9;  // condition 1e18 in AᵀA
  const Matrix A = orthonormal(500, 3, 1) * sigma.asDiagonal() * orthonormal(3, 3, 2).transpose();
  const Matrix x = normal(3, 1, 3);
  const auto result = solve(A, A * x);
  EXPECT_EQ(result.rank, 3);
  EXPECT_LT((solution(result, 3) - x).norm(), rounding(3 * 3, 1e9 * x.norm()));
}

}  // namespace
}  // namespace polyak::test
