#include "linalg/blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "eigen_views.hpp"
#include "linalg/buffer.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"
#include "polyak/error.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

Matrix op(const Matrix& m, Transpose t) { return t == Transpose::yes ? Matrix(m.transpose()) : m; }

constexpr Transpose both[] = {Transpose::no, Transpose::yes};

TEST(Gemm, AgreesWithEigenForEveryTransposition) {
  for (Transpose ta : both) {
    for (Transpose tb : both) {
      const Matrix A = op(normal(5, 7, 1), ta), B = op(normal(7, 4, 2), tb);
      Matrix C = normal(5, 4, 3);
      const Matrix expected = 2.0 * op(A, ta) * op(B, tb) - 0.5 * C;
      gemm(2.0, view(A), ta, view(B), tb, -0.5, view(C));
      EXPECT_LT((C - expected).norm(), rounding(7, A.norm() * B.norm()));
    }
  }
}

TEST(Gemm, DoesNotReadTheOldResultWhenBetaIsZero) {
  const Matrix A = normal(3, 3, 1);
  Matrix C = Matrix::Constant(3, 3, std::nan(""));
  gemm(1.0, view(A), Transpose::no, view(A), Transpose::no, 0.0, view(C));
  EXPECT_TRUE(C.allFinite());
}

TEST(Gemm, WorksOnPartsOfLargerMatrices) {
  const Matrix A = normal(8, 8, 1);
  Matrix C = Matrix::Zero(6, 6);
  gemm(1.0, part(view(A), 1, 2, 3, 4), Transpose::no, part(view(A), 4, 1, 4, 2), Transpose::no, 0.0,
       part(view(C), 2, 3, 3, 2));
  Matrix expected = Matrix::Zero(6, 6);
  expected.block(2, 3, 3, 2) = A.block(1, 2, 3, 4) * A.block(4, 1, 4, 2);
  EXPECT_LT((C - expected).norm(), rounding(4, A.squaredNorm()));
}

TEST(AddGram, AddsToTheUpperTriangleAndLeavesTheLowerAlone) {
  const Matrix rows = normal(9, 4, 1);
  const Matrix start = normal(4, 4, 2);
  Matrix H = start;
  add_gram(view(rows), view(H));
  const Matrix full = start + rows.transpose() * rows;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const bool upper = j >= i;
      const double expected = upper ? full(i, j) : start(i, j);
      EXPECT_NEAR(H(i, j), expected, upper ? rounding(9, rows.squaredNorm()) : 0.0);
    }
  }
  copy_upper_to_lower(view(H));
  EXPECT_EQ(H, Matrix(H.transpose()));
}

TEST(TriangularSolve, UndoesTheProductOnBothSidesAndForBothTranspositions) {
  Matrix R = normal(6, 6, 1);
  R.diagonal().array() += 8.0;  // well conditioned
  const Matrix upper = R.triangularView<Eigen::Upper>();
  const Matrix right = normal(5, 6, 2), left = normal(6, 5, 3);
  for (Transpose t : both) {
    Matrix X = right * op(upper, t), Y = op(upper, t) * left;
    solve_right(view(R), view(X), t);
    solve_left(view(R), view(Y), t);
    EXPECT_LT((X - right).norm(), rounding(36, right.norm()));
    EXPECT_LT((Y - left).norm(), rounding(36, left.norm()));
  }
}

TEST(Blas, AcceptsEmptyMatrices) {
  Matrix none(0, 3), square = Matrix::Identity(3, 3), C = Matrix::Ones(3, 3);
  add_gram(view(none), view(square));
  solve_right(view(square), view(none));
  gemm(1.0, view(none), Transpose::yes, view(none), Transpose::no, 1.0, view(C));
  EXPECT_EQ(square, Matrix(Matrix::Identity(3, 3)));
  EXPECT_EQ(C, Matrix(Matrix::Ones(3, 3)));
}

TEST(Blas, RefusesSizesThatDoNotFitInThirtyTwoBits) {
  EXPECT_EQ(blas_int(2147483647), 2147483647);
  for (Index size : {Index{2147483648}, Index{-1}}) {
    try {
      blas_int(size);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::internal);
    }
  }
  EXPECT_THROW(blas_work(3e9), Error);
}

TEST(Vendor, OpenBlasIsHeldToOneThreadInEveryThread) {
  auto* threads = reinterpret_cast<int (*)()>(blas_symbol("openblas_get_num_threads"));
  if (threads == nullptr) GTEST_SKIP() << "this BLAS is not OpenBLAS";
  const auto ask = [threads] {
    const BlasCall call;
    EXPECT_EQ(threads(), 1);
  };
  ask();
  std::thread(ask).join();
}

TEST(Vendor, ACallFlushesDenormalNumbersAndGivesTheSettingBack) {
  volatile double tiny = 1e-300;
  const double before = tiny * 1e-10;
  EXPECT_GT(before, 0.0);
  {
    const BlasCall call;
#ifdef __SSE2__
    EXPECT_EQ(tiny * 1e-10, 0.0);
#endif
  }
  EXPECT_EQ(tiny * 1e-10, before);
}

TEST(Vendor, NamesTheBlasInOneLine) {
  EXPECT_FALSE(blas_name().empty());
  EXPECT_EQ(blas_name().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace polyak::test
