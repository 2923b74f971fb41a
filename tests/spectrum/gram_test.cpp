#include "spectrum/gram.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "polyak/simd.hpp"
#include "problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

double factor(Index i) { return 0.5 + static_cast<double>(i % 3); }

Matrix scaled_rows(const Matrix& A) {
  Matrix out = A;
  for (Index i = 0; i < A.rows(); ++i) out.row(i) *= factor(i);
  return out;
}

Matrix gram_of(const Matrix& A, int threads, bool sparse = false) {
  const auto stored = sparse ? csr_matrix(compressed<double, std::int32_t>(A))
                             : dense_matrix(values<double>(A), A.rows(), A.cols());
  ThreadTeam team(threads);
  const auto H = gram(*stored, factor, team);
  return Eigen::Map<const Matrix>(H.data(), A.cols(), A.cols());
}

struct Shape {
  Index rows, cols;
};
// Up to 511 rows, or more than 512 columns: one sum, whose cells are shared out.
// Otherwise partial sums by rows.
class Gram : public ::testing::TestWithParam<Shape> {};

TEST_P(Gram, AgreesWithEigenEntryByEntry) {
  const auto [n, d] = GetParam();
  const Matrix A = sparse_normal(n, d, 61), S = scaled_rows(A);
  const Matrix expected = S.transpose() * S, size = absolute(S).transpose() * absolute(S);
  expect_close(gram_of(A, 2), expected, n + 4, size, "dense");
  expect_close(gram_of(A, 2, true), expected, n + 4, size, "sparse");
}

TEST_P(Gram, HasTheSameBitsForAnyNumberOfThreads) {
  const auto [n, d] = GetParam();
  const Matrix A = sparse_normal(n, d, 62), one = gram_of(A, 1);
  for (const int threads : {2, 7}) EXPECT_EQ(gram_of(A, threads), one) << threads;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Gram,
                         ::testing::Values(Shape{0, 1}, Shape{0, 3}, Shape{1, 1}, Shape{1, 3},
                                           Shape{3, 1}, Shape{2, 3}, Shape{5, 2}, Shape{256, 9},
                                           Shape{257, 50}, Shape{300, 129}, Shape{511, 7},
                                           Shape{512, 20}, Shape{513, 20}, Shape{600, 257},
                                           Shape{5000, 13}));

TEST(GramOfNoColumns, IsEmpty) {
  for (const Index n : {0, 1, 300, 600}) EXPECT_EQ(gram_of(Matrix(n, 0), 2).size(), 0);
}

// Too large to compare entry by entry in a hurry: (AᵀA)v against Aᵀ(Av).
class WideGram : public ::testing::TestWithParam<Shape> {};

TEST_P(WideGram, TimesAVectorIsWhatTheRowsSay) {
  const auto [n, d] = GetParam();
  const Matrix A = normal(n, d, 63), S = scaled_rows(A);
  const Matrix H = gram_of(A, 2), v = normal(d, 1, 64);
  const Matrix size = absolute(S).transpose() * (absolute(S) * absolute(v));
  expect_close(H * v, S.transpose() * (S * v), n + 2 * d, size, "H v");
  expect_close(H, H.transpose(), 2 * n, Matrix::Constant(d, d, S.squaredNorm()), "symmetric");
}

TEST_P(WideGram, HasTheSameBitsForAnyNumberOfThreads) {
  const auto [n, d] = GetParam();
  const Matrix A = normal(n, d, 65), one = gram_of(A, 1);
  for (const int threads : {2, 7}) EXPECT_EQ(gram_of(A, threads), one) << threads;
}

INSTANTIATE_TEST_SUITE_P(Shapes, WideGram,
                         ::testing::Values(Shape{530, 730}, Shape{520, 2060}, Shape{30, 900}));

// [A b] with factors, in a view that begins off any alignment and has a stride
// of its own, against long doubles.
template <class Value>
struct Strided {
  Index n, d, stride;
  std::vector<Value> storage;
  Matrix b;

  Strided(Index rows, Index cols)
      : n(rows),
        d(cols),
        stride(cols + 3),
        storage(values<Value>(normal(1, 1 + n * stride, 67))),
        b(normal(n, 2, 68)) {}
  MatrixPtr A() const {
    return dense_view(MatrixView<const Value>{storage.data() + 1, n, d, stride});
  }
  double value(Index i, Index j) const {
    if (j >= d) return factor(i) * b(i, j - d);
    return factor(i) * static_cast<double>(storage[to_size(1 + i * stride + j)]);
  }
  std::vector<double> gram(int threads) const {
    ThreadTeam team(threads);
    return polyak::internal::gram(*A(), factor, team, ConstView{b.data(), n, 2, 2});
  }
};

class GramOnTargets : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use_simd_target(GetParam())); }
  void TearDown() override { use_simd_target(simd_targets().front()); }

  // Each addition and the product: a rounding of at most Σ|terms| each.
  template <class Value>
  void expect_within_the_bound(Index n, Index d) {
    const Strided<Value> in(n, d);
    const auto H = in.gram(2);
    const Index c = d + 2, step = c > 40 ? 11 : 1;
    ASSERT_EQ(std::ssize(H), c * c);
    for (Index i = 0; i < c; i += step) {
      for (Index j = i % step; j < c; j += step) {
        long double sum = 0.0L, size = 0.0L;
        for (Index r = 0; r < n; ++r) {
          const long double term = static_cast<long double>(in.value(r, i)) * in.value(r, j);
          sum += term, size += std::abs(term);
        }
        const auto error = std::abs(H[to_size(i * c + j)] - sum);
        ASSERT_LE(error, (gram_additions(*in.A()) + 1.0) * 0.5 * eps * size)
            << n << " x " << d << ", entry " << i << ", " << j;
      }
    }
  }
};

TEST_P(GramOnTargets, AgreesWithLongDoublesWithinItsAdditions) {
  for (const Index d : {1, 2, 3, 5, 7, 8, 9, 31, 64, 100, 257}) {
    for (const Index n : {0, 1, 7, 256, 257, 600, 3000}) {
      expect_within_the_bound<double>(n, d);
      expect_within_the_bound<float>(n, d);
    }
  }
  expect_within_the_bound<double>(700, 515);
}

TEST_P(GramOnTargets, HasTheSameBytesForAnyNumberOfThreads) {
  for (const auto& [n, d] : {Shape{3000, 100}, Shape{700, 31}, Shape{300, 64}, Shape{600, 515}}) {
    const Strided<double> in(n, d);
    const auto one = in.gram(1);
    for (const int threads : {2, 3, 7}) EXPECT_TRUE(same_bits(in.gram(threads), one)) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, GramOnTargets, ::testing::ValuesIn(simd_targets()),
                         [](const auto& given) { return given.param; });

TEST(ForBlocks, ShowsEveryRowOnceTimesItsFactor) {
  const Matrix A = normal(1300, 3, 66), S = scaled_rows(A);
  const auto stored = dense_matrix(values<double>(A), 1300, 3);
  ThreadTeam team(2);
  for (const Index chunks : {1, 2, 5}) {
    Matrix seen = Matrix::Zero(1300, 3);
    for_blocks(*stored, factor, chunks, team, [&](Index chunk, Index first, ConstView block) {
      EXPECT_GE(first, chunk * 1300 / chunks);
      EXPECT_LE(first + block.rows, (chunk + 1) * 1300 / chunks);
      seen.middleRows(first, block.rows) += matrix(block);
    });
    EXPECT_EQ(seen, S);
  }
}

TEST(GramAdditions, BoundTheErrorOfEqualRows) {
  // All rounding errors point the same way here.
  for (const Index n : {100, 300, 1000, 20'000}) {
    const Matrix A = Vector::Ones(n) * (Matrix(1, 2) << 0.1, 0.3).finished();
    const auto stored = dense_matrix(values<double>(A), n, 2);
    ThreadTeam team(2);
    const auto H = gram(
        *stored, [](Index) { return 1.0; }, team);
    const long double exact = static_cast<long double>(n) * 0.1 * 0.1;
    // Half an eps each, and the rounding of the square.
    EXPECT_LE(std::abs(static_cast<double>(H[0] - exact)),
              (gram_additions(*stored) + 1.0) * 0.5 * eps * static_cast<double>(exact));
  }
}

}  // namespace
}  // namespace polyak::test
