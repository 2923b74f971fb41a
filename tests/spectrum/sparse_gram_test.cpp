#include <gtest/gtest.h>

#include <cmath>

#include "problems.hpp"
#include "spectrum/gram.hpp"

namespace polyak::test::sparse_gram {
using namespace polyak::internal;

namespace {

struct Shape {
  Index rows, cols;
};

double factor(Index i) { return 0.5 + static_cast<double>(i % 3); }

// About three entries a row, and one row that has them all.
Matrix few(Index n, Index d, std::uint64_t seed) {
  const Matrix values = normal(n, d, seed), places = normal(n, d, seed + 1);
  const double keep = 3.0 / static_cast<double>(d);
  Matrix out = Matrix::Zero(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      if (i == n / 2 || std::erfc(std::abs(places(i, j)) / std::sqrt(2.0)) < keep)
        out(i, j) = values(i, j);
  return out;
}

template <class Value, class Column>
MatrixPtr stored(const Matrix& A) {
  return csr_matrix(compressed<Value, Column>(A));
}

Matrix gram_of(const RowMatrix& A, int threads, const Matrix& b) {
  ThreadTeam team(threads);
  const auto H = gram(A, factor, team, ConstView{b.data(), b.rows(), b.cols(), b.cols()});
  const Index width = A.cols() + b.cols();
  return Eigen::Map<const Matrix>(H.data(), width, width);
}

class SparseGram : public ::testing::TestWithParam<Shape> {};

TEST_P(SparseGram, WithSidesAgreesWithEigenEntryByEntry) {
  const auto [n, d] = GetParam();
  const Matrix A = few(n, d, 71), b = normal(n, 2, 73);
  Matrix S(n, d + 2);
  for (Index i = 0; i < n; ++i) S.row(i) << factor(i) * A.row(i), factor(i) * b.row(i);
  const Matrix expected = S.transpose() * S, size = absolute(S).transpose() * absolute(S);
  const auto matrix = stored<double, std::int32_t>(A);
  ASSERT_TRUE(has_sparse_gram(*matrix));
  // The chain of additions and three products; Eigen's sums are no better than n.
  const Index roundings = static_cast<Index>(sparse_gram_additions(*matrix)) + n + 4;
  expect_close(gram_of(*matrix, 2, b), expected, roundings, size, "doubles");
  EXPECT_EQ(gram_of(*stored<double, Index>(A), 2, b), gram_of(*matrix, 2, b));
}

TEST_P(SparseGram, OfSinglesIsThatOfTheirValues) {
  const auto [n, d] = GetParam();
  const Matrix A = few(n, d, 75), b = normal(n, 1, 76);
  const Matrix rounded = A.cast<float>().cast<double>();
  EXPECT_EQ(gram_of(*stored<float, std::int32_t>(A), 2, b),
            gram_of(*stored<double, std::int32_t>(rounded), 2, b));
}

TEST_P(SparseGram, HasTheSameBitsForAnyNumberOfThreads) {
  const auto [n, d] = GetParam();
  const auto A = stored<double, std::int32_t>(few(n, d, 77));
  const Matrix b = normal(n, 1, 78), one = gram_of(*A, 1, b);
  for (const int threads : {2, 7}) EXPECT_EQ(gram_of(*A, threads, b), one) << threads;
}

// One band, several, more than strips; one part of the rows, several, several blocks each.
INSTANTIATE_TEST_SUITE_P(Shapes, SparseGram,
                         ::testing::Values(Shape{400, 30}, Shape{300, 255}, Shape{200, 700},
                                           Shape{300, 1800}, Shape{9000, 35}, Shape{90000, 30},
                                           Shape{20000, 260}));

void expect_cuts(const GramSize& A, GramCuts wanted) {
  const GramCuts cuts = gram_cuts(A);
  EXPECT_EQ(cuts.bands, wanted.bands);
  EXPECT_EQ(cuts.strips, wanted.strips);
  EXPECT_EQ(cuts.parts, wanted.parts);
  EXPECT_EQ(cuts.blocks, wanted.blocks);
}
TEST(GramCuts, GiveEveryThreadSomethingToDo) {
  expect_cuts({100, 30, 1, 300, 900}, {1, 1, 1, 1});
  expect_cuts({90'000, 30, 1, 270'000, 810'000}, {1, 1, 16, 1});
  expect_cuts({1e6, 30, 1, 3e6, 9e6}, {1, 1, 16, 15});
  expect_cuts({300, 1800, 1, 900, 2700}, {25, 16, 1, 1});
  expect_cuts({20'000, 260, 1, 6e4, 3e6}, {2, 2, 4, 1});
}

TEST(GramCuts, LeaveAtMostSoManyAdditionsToAnEntry) {
  const auto A = stored<double, std::int32_t>(few(9000, 35, 79));
  EXPECT_EQ(sparse_gram_additions(*A), 4500.0 + 1.0 + 1.0 + 2.0);  // two parts
}

TEST(FewProducts, AreCountedRowByRow) {
  constexpr Index n = 600, d = 60;
  Matrix A = Matrix::Zero(n, d);
  for (Index i = 0; i < n / 10; ++i) A.row(i).setOnes();  // a tenth of all entries …
  const MatrixPtr csr = stored<double, std::int32_t>(A);
  EXPECT_EQ(csr->gram_products(), 60.0 * 60.0 * 60.0);
  EXPECT_FALSE(has_sparse_gram(*csr));  // … but of all products too
  EXPECT_EQ(dense_matrix(values<double>(A), n, d)->gram_products(), 600.0 * 60.0 * 60.0);
}

// n equal entries of 0.1 in a column: one chain would be off by up to n/2 roundings.
TEST(GramCuts, KeepTheSumOfALongColumnClose) {
  constexpr Index n = 100'000, d = 8;
  Csr<double, std::int32_t> csr{{0}, {}, {}, d};
  for (Index i = 0; i < n; ++i) {
    csr.columns.push_back(3);
    csr.values.push_back(0.1);
    csr.row_start.push_back(i + 1);
  }
  const auto A = csr_matrix(std::move(csr));
  ASSERT_TRUE(has_sparse_gram(*A));
  ThreadTeam team(2);
  const auto H = gram(
      *A, [](Index) { return 1.0; }, team);
  EXPECT_NEAR(H[3 * d + 3], n * 0.1 * 0.1, sparse_gram_additions(*A) * 0x1p-53 * n * 0.01);
  EXPECT_LT(sparse_gram_additions(*A), n / 10);
  EXPECT_EQ(H[0], 0.0);
}

TEST(SparseGramOf, ExtremeFactorsStaysInRange) {
  const Matrix A = few(50, 30, 81);
  const auto tiny = stored<double, std::int32_t>(A * 0x1p-900);
  ThreadTeam team(2);
  const auto scaled = gram(
      *tiny, [](Index) { return 0x1p900; }, team);
  const auto plain = gram(
      *stored<double, std::int32_t>(A), [](Index) { return 1.0; }, team);
  EXPECT_EQ(scaled, plain);
}

TEST(HasSparseGram, OnlyWhatIsStoredByEntriesAndHasFew) {
  const Matrix A = few(200, 40, 82);
  EXPECT_TRUE(has_sparse_gram(*stored<double, std::int32_t>(A)));
  EXPECT_FALSE(has_sparse_gram(*dense_matrix(values<double>(A), 200, 40)));
  EXPECT_FALSE(has_sparse_gram(*stored<double, std::int32_t>(normal(200, 40, 83))));
}

}  // namespace
}  // namespace polyak::test::sparse_gram
