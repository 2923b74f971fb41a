#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Sparse>
#include <cmath>
#include <string>

#include "polyak/error.hpp"
#include "storages.hpp"

namespace polyak::test {
namespace {

using EigenSparse = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;

Matrix dense(const RowMatrix& A) {
  Matrix out(A.rows(), A.cols());
  A.copy_rows(0, A.rows(), view(out));
  return out;
}

std::string refusal(std::vector<Triplet> entries, Index rows, Index cols, Duplicates duplicates) {
  try {
    csr_from_triplets(std::move(entries), rows, cols, duplicates);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    return e.what();
  }
  return "";
}

// Values of one binary size: their sums are exact, so order cannot matter.
RC_GTEST_PROP(Triplets, BecomeTheMatrixThatEigenMakesOfThem, ()) {
  const Index rows = *rc::gen::inRange<Index>(1, 8), cols = *rc::gen::inRange<Index>(1, 8);
  const auto count = *rc::gen::inRange<std::size_t>(0, 60);
  std::vector<Triplet> entries;
  std::vector<Eigen::Triplet<double, Index>> same;
  for (std::size_t k = 0; k < count; ++k) {
    const Index i = *rc::gen::inRange<Index>(0, rows), j = *rc::gen::inRange<Index>(0, cols);
    const double v = 0.125 * *rc::gen::inRange(-99, 99);
    entries.push_back({i, j, v});
    same.emplace_back(i, j, v);
  }
  EigenSparse expected(rows, cols);
  expected.setFromTriplets(same.begin(), same.end());
  const auto A = csr_from_triplets(entries, rows, cols);
  RC_ASSERT(dense(*A) == Matrix(expected));
  RC_ASSERT(A->nonzeros() == expected.nonZeros());
  const bool repeats = expected.nonZeros() < std::ssize(entries);
  RC_ASSERT((refusal(entries, rows, cols, Duplicates::error) != "") == repeats);
}

TEST(Triplets, AreSummedInTheOrderGiven) {
  // 1e16 + 1 rounds to 1e16; the other way about the 1 survives.
  const auto lost = csr_from_triplets({{0, 0, 1e16}, {0, 0, 1.0}, {0, 0, -1e16}}, 1, 1);
  const auto kept = csr_from_triplets({{0, 0, 1e16}, {0, 0, -1e16}, {0, 0, 1.0}}, 1, 1);
  EXPECT_EQ(dense(*lost)(0, 0), 0.0);
  EXPECT_EQ(dense(*kept)(0, 0), 1.0);
}

TEST(Triplets, ThatSumToZeroStayStored) {
  const auto A = csr_from_triplets({{1, 1, 2.0}, {1, 1, -2.0}, {0, 1, 0.0}}, 2, 2);
  EXPECT_EQ(A->nonzeros(), 2);
  EXPECT_EQ(dense(*A), Matrix(Matrix::Zero(2, 2)));
}

TEST(Triplets, MayBeNoneAtAll) {
  for (const Index rows : {0, 1, 3}) {
    for (const Index cols : {0, 1, 3}) {
      const auto A = csr_from_triplets({}, rows, cols);
      EXPECT_EQ(A->rows(), rows);
      EXPECT_EQ(A->cols(), cols);
      EXPECT_EQ(A->nonzeros(), 0);
    }
  }
}

TEST(Triplets, OutsideTheMatrixAreRefused) {
  for (const Triplet& e : {Triplet{2, 0, 1.0}, Triplet{0, 3, 1.0}, Triplet{-1, 0, 1.0},
                           Triplet{0, -1, 1.0}, Triplet{Index{1} << 40, 0, 1.0}}) {
    const std::string line = refusal({{0, 0, 1.0}, e}, 2, 3, Duplicates::sum);
    EXPECT_NE(line.find("outside the matrix"), std::string::npos) << line;
    EXPECT_NE(line.find(std::to_string(e.row) + ", " + std::to_string(e.col)), std::string::npos);
  }
}

TEST(Triplets, OfAMatrixWithNegativeSizesAreRefused) {
  EXPECT_NE(refusal({}, -1, 3, Duplicates::sum), "");
  EXPECT_NE(refusal({}, 3, -1, Duplicates::sum), "");
  EXPECT_NE(refusal({}, -5, -5, Duplicates::sum), "");
}

TEST(Triplets, GivenTwiceAreNamedWhenTheyAreAnError) {
  const std::string line =
      refusal({{1, 2, 1.0}, {0, 0, 1.0}, {1, 2, 5.0}}, 2, 3, Duplicates::error);
  EXPECT_NE(line.find("an entry is given twice (found row 2, column 3)"), std::string::npos)
      << line;
}

TEST(Triplets, TakeWideColumnsOnlyWhereTheyAreNeeded) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(csr_from_triplets({{0, most - 1, 1.0}}, 1, most)->kind(),
            "csr, double, 32-bit columns");
  const auto wide = csr_from_triplets({{0, most + 9, 1.0}, {0, 3, 2.0}}, 1, most + 10);
  EXPECT_EQ(wide->kind(), "csr, double, 64-bit columns");
  EXPECT_EQ(wide->nonzeros(), 2);
  EXPECT_EQ(wide->max_abs(0, 1), 2.0);
}

TEST(ToSingle, RoundsEveryValueToTheNearestFloat) {
  Matrix A = sparse_normal(6, 5, 3);
  A = (A.array() * 1.1).matrix();
  const Matrix rounded = A.cast<float>().cast<double>();
  const MatrixPtr doubles[] = {dense_matrix(values<double>(A), 6, 5), strided<double>(A, 2),
                               csr_matrix(compressed<double, std::int32_t>(A)),
                               csr_matrix(compressed<double, Index>(A))};
  for (const auto& stored : doubles) {
    const auto single = to_single(stored);
    EXPECT_EQ(dense(*single), rounded) << stored->kind();
    EXPECT_EQ(single->nonzeros(), stored->nonzeros());
    EXPECT_NE(single->kind().find("single"), std::string::npos);
    EXPECT_LT(single->bytes(), stored->bytes());
  }
}

TEST(ToSingle, ReturnsAMatrixThatIsSingleAlready) {
  const Matrix A = sparse_normal(4, 3, 3);
  for (const MatrixPtr& single :
       {dense_matrix(values<float>(A), 4, 3), strided<float>(A, 1),
        csr_matrix(compressed<float, std::int32_t>(A)), csr_matrix(compressed<float, Index>(A))}) {
    EXPECT_EQ(to_single(single), single);
  }
}

TEST(ToSingle, RefusesANumberThatWouldBecomeInfinite) {
  for (const double v : {1e39, -1e300}) {
    Matrix A = Matrix::Ones(3, 2);
    A(1, 1) = v;
    for (const auto& stored :
         {dense_matrix(values<double>(A), 3, 2), csr_matrix(compressed<double, std::int32_t>(A))}) {
      try {
        to_single(stored);
        FAIL();
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_data);
        EXPECT_EQ(e.parts().where, "A, row 2, column 2 (counted from 1)");
      }
    }
  }
}

TEST(ToSingle, LeavesNanAndInfToWhoeverChecksThem) {
  Matrix A = Matrix::Ones(1, 2);
  A(0, 0) = std::numeric_limits<double>::infinity();
  A(0, 1) = std::numeric_limits<double>::quiet_NaN();
  const Matrix out = dense(*to_single(dense_matrix(values<double>(A), 1, 2)));
  EXPECT_EQ(out(0, 0), A(0, 0));
  EXPECT_TRUE(std::isnan(out(0, 1)));
}

}  // namespace
}  // namespace polyak::test
