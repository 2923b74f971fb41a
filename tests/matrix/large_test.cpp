// Matrices with more than 2^31 entries: memory that is promised and never
// touched, but for a few rows around entry 2^31.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "matrix/products.hpp"
#include "matrix/storage.hpp"
#include "storages.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr Index line = Index{1} << 31;

template <class T>
std::shared_ptr<T> promised(Index count) {
  const std::size_t bytes = to_size(count) * sizeof(T);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<T*>(memory), [bytes](T* p) { munmap(p, bytes); }};
}

// The rows [first, first + 6) of `large` must behave as the small matrix does.
void expect_alike(const RowMatrix& large, Index first, ConstView b, const Matrix& small) {
  const Index m = small.rows(), d = small.cols();
  const auto reference = dense_matrix(values<double>(small), m, d);
  const Matrix x = normal(1, d, 2), y = normal(m, 1, 3), small_b = normal(m, 1, 4);
  for (Index i = 0; i < m; ++i) const_cast<double&>(b(first + i, 0)) = small_b(i, 0);
  Matrix g = Matrix::Zero(1, d), h = g;
  std::vector<Index> rows, small_rows;
  for (Index i = m - 1; i >= 0; --i) rows.push_back(first + i), small_rows.push_back(i);
  const std::vector<double> w(to_size(m), 0.5);
  large.gradient(rows, w, {}, view(x), b, view(g));
  reference->gradient(small_rows, w, {}, view(x), view(small_b), view(h));
  Matrix r2 = Matrix::Zero(1, 1), s2 = r2;
  large.range_gradient(first, first + m, w, {}, view(x), b, view(g), {r2.data(), 1});
  reference->range_gradient(0, m, w, {}, view(x), view(small_b), view(h), {s2.data(), 1});
  large.add_transposed(first, first + m, view(y), view(g));
  reference->add_transposed(0, m, view(y), view(h));
  // Sparse and dense rows add in another order: d and m roundings.
  expect_close(g, h, 4 * (d + m), absolute(h).array() + 10.0, "gradients");
  EXPECT_NEAR(r2(0), s2(0), 4 * static_cast<double>(d + m) * eps * s2(0));
  Matrix product(m, 1), copy(m, d), norms(m, 1);
  large.multiply(first, first + m, view(x), view(product));
  expect_close(product, small * x.transpose(), d + 4, absolute(small) * absolute(x).transpose(),
               "multiply");
  large.copy_rows(first, first + m, view(copy));
  EXPECT_EQ(copy, small);
  large.norms(first, first + m, 1.0, {norms.data(), to_size(m)}, {});
  expect_close(norms, small.rowwise().squaredNorm(), d + 4, small.rowwise().squaredNorm(), "norms");
  EXPECT_EQ(large.max_abs(first, first + m), small.cwiseAbs().maxCoeff());
  Matrix z = x, v = x;
  large.kaczmarz(rows, w, 1.0, b, view(z));
  reference->kaczmarz(small_rows, w, 1.0, view(small_b), view(v));
  expect_close(z, v, 10 * m * (d + 4), absolute(v).array() + 10.0, "kaczmarz");
}

TEST(LargeMatrix, DenseWithMoreThan2To31EntriesGivesTheRightAnswers) {
  constexpr Index n = Index{1} << 30, d = 3;  // 24 GiB
  const auto memory = promised<double>(n * d);
  const auto b = promised<double>(n);
  if (!memory || !b) GTEST_SKIP() << "no address space for 32 GiB";
  const auto A = dense_view(MatrixView<const double>{memory.get(), n, d, d}, memory);
  EXPECT_EQ(A->nonzeros(), n * d);
  EXPECT_EQ(A->bytes(), 8.0 * static_cast<double>(n * d));
  const Matrix small = normal(6, d, 1);
  for (const Index first : {line / d - 3, n - 6}) {
    std::copy_n(small.data(), small.size(), memory.get() + first * d);
    expect_alike(*A, first, {b.get(), n, 1, 1}, small);
  }
}

TEST(LargeMatrix, BatchesOfItGiveTheRightAnswersOnATeam) {
  constexpr Index n = Index{1} << 30, d = 3;
  const auto memory = promised<double>(n * d);
  const auto b = promised<double>(n);
  if (!memory || !b) GTEST_SKIP() << "no address space for 32 GiB";
  const auto A = dense_view(MatrixView<const double>{memory.get(), n, d, d}, memory);
  constexpr Index m = 6000, first = line / d - m / 2;
  const Matrix small = normal(m, d, 1), x = normal(1, d, 2), zero = Matrix::Zero(m, 1);
  std::copy_n(small.data(), small.size(), memory.get() + first * d);
  std::vector<Index> rows, small_rows;
  for (Index i = 0; i < m; ++i) rows.push_back(first + i), small_rows.push_back(i);
  const std::vector<double> w(to_size(m), 0.5);
  const auto reference = dense_matrix(values<double>(small), m, d);
  ThreadTeam team(2);
  Products large(*A, {}, {}, team), plain(*reference, {}, {}, team);
  Matrix g(1, d), h(1, d);
  large.gradient(rows, w, view(x), {b.get(), n, 1, 1}, view(g));
  plain.gradient(small_rows, w, view(x), view(zero), view(h));
  EXPECT_EQ(g, h);
}

TEST(LargeMatrix, SparseWithMoreThan2To31EntriesGivesTheRightAnswers) {
  constexpr Index d = 40, m = 6, first = 1, nnz = line + 1000;
  const Matrix small = sparse_normal(m, d, 1);
  const auto csr = compressed<double, std::int32_t>(small);
  const auto values = promised<double>(nnz);
  const auto columns = promised<std::int32_t>(nnz);
  if (!values || !columns) GTEST_SKIP() << "no address space for 24 GiB";
  // One endless row, our rows across entry 2^31, another endless row.
  const Index begin = line - csr.row_start[3];
  std::vector<Index> row_start = {0};
  for (Index start : csr.row_start) row_start.push_back(begin + start);
  row_start.push_back(nnz);
  std::copy(csr.values.begin(), csr.values.end(), values.get() + begin);
  std::copy(csr.columns.begin(), csr.columns.end(), columns.get() + begin);
  const TypedMatrix<CsrRows<double, std::int32_t>> A(
      {row_start, {columns.get(), to_size(nnz)}, {values.get(), to_size(nnz)}, d, {}});
  EXPECT_EQ(A.rows(), m + 2);
  EXPECT_EQ(A.nonzeros(), nnz);
  std::vector<double> b(to_size(m + 2), 0.0);
  expect_alike(A, first, {b.data(), m + 2, 1, 1}, small);
}

}  // namespace
}  // namespace polyak::test
