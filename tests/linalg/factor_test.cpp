#include "linalg/factor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "eigen_views.hpp"
#include "linalg/svd.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST(Cholesky, FactorsAPositiveDefiniteMatrixIntoItsUpperTriangle) {
  const Matrix G = normal(30, 6, 1);
  const Matrix H = G.transpose() * G;
  Matrix R = H;
  ASSERT_TRUE(cholesky(view(R)));
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < i; ++j) EXPECT_EQ(R(i, j), H(i, j)) << "the lower triangle was touched";
  }
  const Matrix upper = R.triangularView<Eigen::Upper>();
  EXPECT_LT((upper.transpose() * upper - H).norm(), rounding(6 * 6, H.norm()));
}

TEST(Cholesky, SaysNoToMatricesThatAreNotPositiveDefiniteOrNotFinite) {
  Matrix indefinite = Matrix::Identity(3, 3);
  indefinite(2, 2) = -1.0;
  EXPECT_FALSE(cholesky(view(indefinite)));
  Matrix zero = Matrix::Zero(2, 2);
  EXPECT_FALSE(cholesky(view(zero)));
  for (double bad : {std::nan(""), HUGE_VAL}) {
    Matrix H = Matrix::Identity(3, 3);
    H(1, 1) = bad;
    EXPECT_FALSE(cholesky(view(H)));
    Matrix K = Matrix::Identity(3, 3);
    K(0, 2) = bad;
    EXPECT_FALSE(cholesky(view(K)));
  }
  Matrix empty(0, 0);
  EXPECT_TRUE(cholesky(view(empty)));
}

TEST(PivotedCholesky, EndsAtTheRankAndSaysWhereColumnsWent) {
  const Matrix G = normal(40, 7, 2);
  Matrix A(40, 9);
  A << G.leftCols(3), G.col(0) + 2.0 * G.col(2), G.rightCols(4), Matrix::Zero(40, 1);
  const Matrix H = A.transpose() * A;
  Matrix R = H;
  std::vector<Index> place(9);
  const Index rank = pivoted_cholesky(view(R), place, 1e-12 * H.diagonal().maxCoeff());
  ASSERT_EQ(rank, 7);
  const Matrix top = Matrix(R.topRows(rank)).triangularView<Eigen::Upper>();
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 9; ++j)
      EXPECT_NEAR((top.transpose() * top)(i, j), H(place[to_size(i)], place[to_size(j)]),
                  rounding(9 * 9, H.norm()));
}

TEST(HouseholderR, ReplacesRowsByTheirFactor) {
  for (Index rows : {1, 3, 5, 8, 600}) {
    const Matrix A = normal(rows, 5, 1);
    Matrix R = A;
    householder_r(view(R));
    EXPECT_EQ(R, Matrix(R.triangularView<Eigen::Upper>()));
    const double tolerance = rounding(rows * 5, A.squaredNorm());
    EXPECT_LT((R.transpose() * R - A.transpose() * A).norm(), tolerance);
  }
}

TEST(Lq, ItsFactorsMultiplyToTheMatrix) {
  for (Index rows : {1, 4, 9}) {
    const Matrix A = normal(rows, 9, 1);
    Matrix F = A;
    std::vector<double> tau(to_size(rows));
    lq(view(F), tau);
    const Matrix L = Matrix(F.leftCols(rows)).triangularView<Eigen::Lower>();
    Matrix Qt = Matrix::Identity(rows, 9);  // its rows become the columns of Q
    lq_expand(view(F), tau, view(Qt));
    EXPECT_LT((Qt * Qt.transpose() - Matrix::Identity(rows, rows)).norm(), rounding(9 * 9, 1.0));
    EXPECT_LT((L * Qt - A).norm(), rounding(9 * 9, A.norm()));
  }
}

TEST(SymmetricEigen, AgreesWithEigenAndReadsOnlyTheUpperTriangle) {
  const Matrix G = normal(12, 12, 1);
  const Matrix S = G + G.transpose();
  const Vector expected = symmetric_eigen(S).values;
  Matrix H = S, V = S;
  H.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
  V.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
  Vector values(12), same(12);
  ASSERT_TRUE(symmetric_eigenvalues(view(H), {values.data(), 12}));
  ASSERT_TRUE(internal::symmetric_eigen(view(V), {same.data(), 12}));
  EXPECT_LT((values - expected).norm(), rounding(12 * 12, S.norm()));
  EXPECT_LT((same - expected).norm(), rounding(12 * 12, S.norm()));
  EXPECT_LT((V * V.transpose() - Matrix::Identity(12, 12)).norm(), rounding(12 * 12, 1.0));
  EXPECT_LT((V.transpose() * same.asDiagonal() * V - S).norm(), rounding(12 * 12, S.norm()));
}

TEST(SymmetricEigen, SaysNoToWhatIsNotFiniteInsteadOfSearchingForever) {
  for (double bad : {std::nan(""), HUGE_VAL}) {
    Matrix H = Matrix::Identity(40, 40);
    H(3, 7) = bad;
    Vector values(40);
    EXPECT_FALSE(symmetric_eigenvalues(view(H), {values.data(), 40}));
    EXPECT_FALSE(internal::symmetric_eigen(view(H), {values.data(), 40}));
  }
}

// The inverse of R has a relative error of about d·eps·κ.
TEST(ConditionBound, IsAtLeastTheConditionAndAtMostTheEighthRootOfTheColumnsLarger) {
  for (const Index d : {1, 2, 7, 16}) {
    for (const double condition : {1.0, 30.0, 1e6, 1e10}) {
      const Matrix U = orthonormal(normal(d, d, 1)), V = orthonormal(normal(d, d, 2));
      Vector s(d);
      for (Index j = 0; j < d; ++j)
        s(j) = std::pow(condition, -static_cast<double>(j) / static_cast<double>(d));
      for (const double unit : {1.0, 1e-150, 1e150}) {
        Matrix R = unit * triangle(U * s.asDiagonal() * V.transpose());
        R.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));  // not looked at
        const double slack = 1.0 + 1e-14 * static_cast<double>(d) * condition,
                     kappa = s(0) / s(d - 1);
        const double bound = condition_bound(view(R));
        EXPECT_GE(bound * slack, kappa) << d << " columns, condition " << condition;
        EXPECT_LE(bound, slack * std::pow(static_cast<double>(d), 0.125) * kappa) << d;
      }
    }
  }
}

TEST(ConditionBound, OfASingularTriangleIsInfinite) {
  Matrix R = Matrix::Identity(3, 3);
  EXPECT_NEAR(condition_bound(view(R)), std::pow(3.0, 0.125), 1e-12);
  R(1, 1) = 0.0;
  EXPECT_EQ(condition_bound(view(R)), HUGE_VAL);
  R(1, 1) = std::nan("");
  EXPECT_EQ(condition_bound(view(R)), HUGE_VAL);
  R = Matrix::Zero(2, 2);
  EXPECT_EQ(condition_bound(view(R)), HUGE_VAL);
  R = Matrix::Identity(2, 2);
  R(1, 1) = 1e-300;
  EXPECT_EQ(condition_bound(view(R)), HUGE_VAL) << "beyond what a double can show";
  Matrix empty(0, 0);
  EXPECT_EQ(condition_bound(view(empty)), 1.0);
}

}  // namespace
}  // namespace polyak::test
