#include "linalg/tsqr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/thread_team.hpp"
#include "eigen_views.hpp"
#include "linalg/svd.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

Matrix r_of(const Matrix& A, Diagonal diagonal = Diagonal::any) {
  Tsqr tsqr(A.cols());
  tsqr.add(view(A));
  return matrix(tsqr.r(diagonal).view());
}

Matrix tall(const Matrix& A, int threads, Diagonal diagonal = Diagonal::any) {
  ThreadTeam team(threads);
  const auto source = [&A](Index first, Index last, View out) {
    for (Index i = first; i < last; ++i) std::copy_n(&A(i, 0), A.cols(), out.row(i - first));
  };
  return matrix(tall_r(A.rows(), A.cols(), source, team, diagonal).view());
}

// With a nonnegative diagonal R is unique, so it can be compared. Householder
// QR is backward stable with n·d·eps·‖A‖; R moves by that times cond(A), which
// is below 4 for these tall normal matrices.
Matrix eigen_r(const Matrix& A) {
  Matrix R = triangle(A);
  for (Index i = 0; i < R.rows(); ++i) {
    if (R(i, i) < 0.0) R.row(i) *= -1.0;
  }
  return R;
}

TEST(Tsqr, AgreesWithEigenUpToSigns) {
  for (Index rows : {20, 511, 512, 513, 3000}) {
    const Matrix A = normal(rows, 5, 1);
    const Matrix R = r_of(A, Diagonal::nonnegative);
    EXPECT_LT((R - eigen_r(A)).norm(), rounding(rows * 5, A.norm())) << rows << " rows";
  }
}

TEST(Tsqr, WideMatricesNeedSeveralPanels) {
  const Matrix A = normal(1500, 300, 1);
  EXPECT_LT((r_of(A, Diagonal::nonnegative) - eigen_r(A)).norm(), rounding(1500 * 300, A.norm()));
}

TEST(Tsqr, IsUpperTriangularWithTheDiagonalAsked) {
  const Matrix R = r_of(normal(700, 6, 1), Diagonal::nonnegative);
  EXPECT_EQ(R, Matrix(R.triangularView<Eigen::Upper>()));
  EXPECT_GE(R.diagonal().minCoeff(), 0.0);
  const Matrix signs = r_of(normal(700, 6, 1));
  EXPECT_EQ(Matrix(signs.cwiseAbs()), Matrix(R.cwiseAbs()));
}

TEST(Tsqr, WorksWithFewerRowsThanColumns) {
  for (Index rows : {0, 1, 3}) {
    for (Index zeros : {0, 2}) {  // columns that use up no row
      Matrix A = normal(rows, 7, 1);
      A.leftCols(zeros).setZero();
      const Matrix R = r_of(A);
      EXPECT_EQ(R, Matrix(R.triangularView<Eigen::Upper>()));
      const Matrix H = A.transpose() * A;
      EXPECT_LT((R.transpose() * R - H).norm(), rounding(7 * 7, 1.0 + A.squaredNorm()));
    }
  }
}

TEST(Tsqr, DependsOnTheRowsAndTheirOrderButNotOnHowTheyAreHandedOver) {
  const Matrix A = normal(1300, 4, 1);
  Tsqr pieces(4);
  Index first = 0;
  for (Index count : {1, 0, 510, 3, 600, 186}) {
    pieces.add({&A(0, 0) + first * 4, count, 4, 4});
    first += count;
  }
  ASSERT_EQ(first, A.rows());
  EXPECT_EQ(matrix(pieces.r().view()), r_of(A));
}

TEST(Tsqr, ReadsViewsWithAStride) {
  const Matrix A = normal(40, 6, 1);
  Tsqr tsqr(3);
  tsqr.add(part(view(A), 0, 2, 40, 3));
  EXPECT_EQ(matrix(tsqr.r().view()), r_of(A.middleCols(2, 3)));
}

TEST(Tsqr, MergingTwoGivesTheFactorOfBoth) {
  const Matrix A = normal(900, 5, 1), B = normal(700, 5, 2);
  Tsqr left(5), right(5);
  left.add(view(A));
  right.add(view(B));  // 188 rows of it still pending
  left.merge(right);
  Matrix both(1600, 5);
  both << A, B;
  const Matrix R = matrix(left.r(Diagonal::nonnegative).view());
  EXPECT_LT((R - eigen_r(both)).norm(), rounding(1600 * 5, both.norm()));
}

TEST(Tsqr, KeepsSmallSingularValuesThatTheGramMatrixLoses) {
  Vector sigma(4);
  sigma << 1.0, 1e-3, 1e-8, 1e-12;
  const Matrix A = orthonormal(2000, 4, 1) * sigma.asDiagonal() * orthonormal(4, 4, 2).transpose();
  const Matrix R = r_of(A);
  const auto found = internal::singular_values(view(R)).singular_values;
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(found[to_size(i)], sigma(i), rounding(4 * 4, 1.0));
}

TEST(Tsqr, ZeroColumnsAndNoColumnsAreLegal) {
  Matrix A = normal(600, 3, 1);
  A.col(1).setZero();
  const Matrix R = r_of(A);
  EXPECT_TRUE(R.allFinite());
  EXPECT_LT((R.transpose() * R - A.transpose() * A).norm(), rounding(600 * 3, A.squaredNorm()));
  EXPECT_EQ(r_of(Matrix(5, 0)).size(), 0);
}

TEST(TallR, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix A = normal(30000, 6, 1);  // 14 chunks
  const Matrix one = tall(A, 1);
  for (int threads : {2, 3, 7}) EXPECT_EQ(tall(A, threads), one) << threads << " threads";
}

TEST(TallR, AgreesWithEigen) {
  for (Index rows : {0, 5, 2048, 4096, 30000}) {
    const Matrix A = normal(rows, 6, 1);
    const Matrix R = tall(A, 2, Diagonal::nonnegative);
    const double tolerance = rounding(std::max<Index>(1, rows) * 6, 1.0 + A.squaredNorm());
    EXPECT_LT((R.transpose() * R - A.transpose() * A).norm(), tolerance);
    if (rows < 6) continue;
    EXPECT_LT((R - eigen_r(A)).norm(), rounding(rows * 6, A.norm()));
  }
}

}  // namespace
}  // namespace polyak::test
