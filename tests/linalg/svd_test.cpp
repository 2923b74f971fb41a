#include "linalg/svd.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "eigen_views.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// rank r, singular values 1 … r: known, and far from the cut.
Matrix of_rank(Index rows, Index cols, Index rank) {
  const Vector sigma = Vector::LinSpaced(rank, static_cast<double>(rank), 1.0);
  return orthonormal(rows, rank, 1) * sigma.asDiagonal() * orthonormal(cols, rank, 2).transpose();
}

struct Shape {
  Index rows, cols, rank;
};
class LeastSquaresSvd : public ::testing::TestWithParam<Shape> {};

TEST_P(LeastSquaresSvd, FindsTheMinimiserOfLeastNormThatEigenFinds) {
  const auto [rows, cols, rank] = GetParam();
  const Matrix A = of_rank(rows, cols, rank);
  const Index longest = std::max(rows, cols);
  const Matrix B = normal(2, longest, 3);
  Matrix X = B;
  const auto result = least_squares_svd(view(A), view(X), 1e-12);
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(result.rank, rank);
  for (Index c = 0; c < 2; ++c) {
    const Vector expected = least_norm_solution(A, B.row(c).head(rows).transpose());
    const double error = (X.row(c).head(cols).transpose() - expected).norm();
    EXPECT_LT(error, rounding(rows * cols, static_cast<double>(rank) * B.norm()));
  }
}

TEST_P(LeastSquaresSvd, ReturnsTheSingularValuesInDescendingOrder) {
  const auto [rows, cols, rank] = GetParam();
  const Matrix A = of_rank(rows, cols, rank);
  Matrix X = Matrix::Zero(1, std::max(rows, cols));
  const auto solved = least_squares_svd(view(A), view(X), 1e-12);
  const auto alone = internal::singular_values(view(A));
  ASSERT_TRUE(alone.ok);
  EXPECT_EQ(alone.rank, rank);
  ASSERT_EQ(ssize(alone.singular_values), std::min(rows, cols));
  ASSERT_EQ(ssize(solved.singular_values), std::min(rows, cols));
  for (Index i = 0; i < std::min(rows, cols); ++i) {
    const double expected = static_cast<double>(std::max<Index>(0, rank - i));
    EXPECT_NEAR(alone.singular_values[to_size(i)], expected, rounding(rows * cols, A.norm()));
    EXPECT_NEAR(solved.singular_values[to_size(i)], expected, rounding(rows * cols, A.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LeastSquaresSvd,
                         ::testing::Values(Shape{6, 6, 6}, Shape{6, 6, 3}, Shape{12, 5, 5},
                                           Shape{12, 5, 2}, Shape{4, 9, 4}, Shape{4, 9, 1},
                                           Shape{1, 1, 1}, Shape{80, 60, 30}));

TEST(Svd, AZeroMatrixHasRankZeroAndTheZeroSolution) {
  const Matrix A = Matrix::Zero(3, 2);
  Matrix X = normal(1, 3, 1);
  const auto result = least_squares_svd(view(A), view(X), 1e-12);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.rank, 0);
  EXPECT_EQ(X(0, 0), 0.0);
  EXPECT_EQ(X(0, 1), 0.0);
}

TEST(Svd, AnEmptyMatrixHasTheZeroSolution) {
  const Matrix A(0, 2);
  Matrix X = Matrix::Ones(1, 2);
  EXPECT_TRUE(least_squares_svd(view(A), view(X), 1e-12).ok);
  EXPECT_EQ(X.norm(), 0.0);
  EXPECT_TRUE(internal::singular_values(view(A)).ok);
}

TEST(Svd, SaysNoToWhatIsNotFinite) {
  for (double bad : {std::nan(""), HUGE_VAL}) {
    Matrix A = normal(4, 3, 1), X = normal(1, 4, 2);
    X(0, 3) = bad;
    EXPECT_FALSE(least_squares_svd(view(A), view(X), 1e-12).ok);
    X(0, 3) = 0.0;
    A(2, 1) = bad;
    EXPECT_FALSE(least_squares_svd(view(A), view(X), 1e-12).ok);
    EXPECT_FALSE(internal::singular_values(view(A)).ok);
  }
}

}  // namespace
}  // namespace polyak::test
