#include "matrix/products.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "storages.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

struct Shape {
  Index rows, cols, columns;
  bool sparse;
};

bool same_bits(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return a.size() == 0 || std::memcmp(a.data(), b.data(), to_size(a.size()) * sizeof(double)) == 0;
}

// What the operations of one Products give.
struct Results {
  Matrix batch, gradient, residual2, product, transposed, sum;
};

bool same_bits(const Results& a, const Results& b) {
  return same_bits(a.batch, b.batch) && same_bits(a.gradient, b.gradient) &&
         same_bits(a.residual2, b.residual2) && same_bits(a.product, b.product) &&
         same_bits(a.transposed, b.transposed) && same_bits(a.sum, b.sum);
}

class ProductsOf : public ::testing::TestWithParam<Shape> {
 protected:
  Index n = GetParam().rows, d = GetParam().cols, c = GetParam().columns;
  Matrix A = sparse_normal(n, d, 21, GetParam().sparse ? 7 : 0);
  MatrixPtr stored = GetParam().sparse ? csr_matrix(compressed<double, std::int32_t>(A))
                                       : dense_matrix(values<double>(A), n, d);
  Matrix x = normal(c, d, 22), b = normal(n, c, 23), y = normal(n, c, 24);
  Matrix weights = absolute(normal(1, n, 25)), batch_weights = normal(1, n / 2, 26);
  Scale scale{0.5, 4.0};
  std::vector<Index> batch;

  void SetUp() override {
    for (Index t = 0; t < n / 2; ++t) batch.push_back(t * t % n);
  }

  Results run(int threads, bool weighted = true) {
    ThreadTeam team(threads);
    const std::span<const double> w(weights.data(), weighted ? to_size(n) : 0);
    Products products(*stored, w, scale, team);
    Results out{.batch = Matrix::Constant(c, d, 9.0),
                .gradient = Matrix::Constant(c, d, 9.0),
                .residual2 = Matrix::Constant(1, c, 9.0),
                .product = Matrix(n, c),
                .transposed = Matrix::Constant(c, d, 9.0),
                .sum = Matrix(1, 1)};
    products.gradient(batch, {batch_weights.data(), batch.size()}, view(x), view(b),
                      view(out.batch));
    products.full_gradient(view(x), view(b), view(out.gradient),
                           {out.residual2.data(), to_size(c)});
    products.multiply(view(x), view(out.product));
    products.transposed(view(y), view(out.transposed));
    out.sum(0, 0) = products.row_sum([&](Index first, Index last) {
      return n ? b.col(0).segment(first, last - first).sum() : 0.0;
    });
    return out;
  }
};

// Entry by entry as in row_matrix_test: n and d roundings and a handful.
TEST_P(ProductsOf, AgreeWithEigen) {
  for (const bool weighted : {false, true}) {
    const Vector w = weighted ? Vector(weights.row(0)) : Vector(Vector::Ones(n));
    const Vector root = w.cwiseSqrt();
    const Matrix As = scale.a * A, r = scale.b * (A * x.transpose() - b);
    const Matrix r_size = scale.b * (absolute(A) * absolute(x).transpose() + absolute(b));
    const Results got = run(2, weighted);
    const Matrix wr = w.asDiagonal() * r, wr_size = w.asDiagonal() * r_size;
    const Matrix rooted = root.asDiagonal() * As;
    const Index steps = n + d + 20;
    expect_close(got.gradient, wr.transpose() * As, steps, wr_size.transpose() * absolute(As),
                 "gradient");
    expect_close(got.residual2, wr.cwiseProduct(r).colwise().sum(), 2 * steps,
                 wr_size.cwiseProduct(r_size).colwise().sum(), "residual");
    expect_close(got.product, rooted * x.transpose(), d + 8,
                 absolute(rooted) * absolute(x).transpose(), "multiply");
    expect_close(got.transposed, y.transpose() * rooted, steps,
                 absolute(y).transpose() * absolute(rooted), "transposed");
    const Matrix As_size = absolute(As);
    Matrix expected = Matrix::Zero(c, d), size = expected;
    for (std::size_t t = 0; t < batch.size(); ++t) {
      const double bw = batch_weights(0, static_cast<Index>(t));
      expected += bw * r.row(batch[t]).transpose() * As.row(batch[t]);
      size += std::abs(bw) * r_size.row(batch[t]).transpose() * As_size.row(batch[t]);
    }
    expect_close(got.batch, expected, steps, size, "batch");
    expect_close(got.sum, Matrix::Constant(1, 1, n ? b.col(0).sum() : 0.0), n,
                 Matrix::Constant(1, 1, n ? absolute(b).col(0).sum() : 0.0), "row_sum");
  }
}

TEST_P(ProductsOf, HaveTheSameBitsForAnyNumberOfThreads) {
  const Results one = run(1);
  for (const int threads : {2, 3, 7}) EXPECT_TRUE(same_bits(run(threads), one)) << threads;
}

TEST_P(ProductsOf, SweepBatchesTogetherWithTheBitsOfOneByOne) {
  constexpr Index count = 3;
  const std::size_t size = to_size(n / 2);
  std::vector<std::vector<Index>> rows(count);
  std::vector<Batch> batches;
  for (Index r = 0; r < count; ++r) {
    for (Index t = 0; t < n / 2; ++t) rows[to_size(r)].push_back((t * t + r * t * 3) % n);
    std::sort(rows[to_size(r)].begin(), rows[to_size(r)].end());
    batches.push_back({rows[to_size(r)], {batch_weights.data(), size}});
  }
  const Matrix xs = normal(count * c, d, 31);
  Matrix single(count * c, d);
  ThreadTeam one(1);
  Products alone(*stored, {}, scale, one);
  for (Index r = 0; r < count; ++r) {
    alone.gradient(batches[to_size(r)].rows, batches[to_size(r)].weights,
                   {xs.data() + r * c * d, c, d, d}, view(b), {single.data() + r * c * d, c, d, d});
  }
  for (const int threads : {1, 2, 7}) {
    ThreadTeam team(threads);
    Products together(*stored, {}, scale, team);
    Matrix shared = Matrix::Constant(count * c, d, 9.0);
    together.gradients(batches, view(xs), view(b), view(shared));
    EXPECT_TRUE(same_bits(shared, single)) << threads;
  }
}

TEST_P(ProductsOf, HaveTheSameBitsWhenAskedAgain) {
  ThreadTeam team(2);
  Products products(*stored, {}, {}, team);
  Matrix first = Matrix::Zero(c, d), again = Matrix::Ones(c, d);
  Matrix r2 = Matrix::Zero(1, c);
  products.full_gradient(view(x), view(b), view(first), {r2.data(), to_size(c)});
  Matrix small = Matrix::Zero(c, d);
  products.gradient({batch.data(), batch.size() / 3}, {batch_weights.data(), batch.size() / 3},
                    view(x), view(b), view(small));  // in between, on the same scratch
  products.full_gradient(view(x), view(b), view(again), {r2.data(), to_size(c)});
  EXPECT_TRUE(same_bits(first, again));
}

INSTANTIATE_TEST_SUITE_P(Shapes, ProductsOf,
                         ::testing::Values(Shape{0, 0, 1, false}, Shape{0, 3, 1, false},
                                           Shape{3, 0, 1, false}, Shape{1, 1, 1, false},
                                           Shape{2, 3, 2, false}, Shape{3, 2, 1, true},
                                           Shape{5, 5, 3, true}, Shape{5000, 10, 1, false},
                                           Shape{3001, 37, 2, false}, Shape{10007, 3, 1, false},
                                           Shape{4000, 50, 2, true}, Shape{200, 1000, 1, false},
                                           Shape{40, 9000, 1, true}, Shape{250, 4500, 1, true}));

TEST(Products, WriteThroughViewsWithAStride) {
  const Matrix A = normal(500, 40, 1), b = normal(500, 2, 2);
  const auto stored = dense_matrix(values<double>(A), 500, 40);
  ThreadTeam team(3);
  Products products(*stored, {}, {}, team);
  ASSERT_GT(products.row_chunks(), 1);
  Padded g(Matrix::Ones(2, 40)), x(normal(2, 40, 3)), y(Matrix::Ones(500, 2));
  Matrix r2(1, 2), plain(2, 40), plain_y(500, 2);
  products.full_gradient(x.view(), view(b), g.view(), {r2.data(), 2});
  products.multiply(x.view(), y.view());
  const Matrix dense_x = x.matrix();
  products.full_gradient(view(dense_x), view(b), view(plain), {r2.data(), 2});
  products.multiply(view(dense_x), view(plain_y));
  EXPECT_TRUE(same_bits(g.matrix(), plain));
  EXPECT_TRUE(same_bits(y.matrix(), plain_y));
  EXPECT_TRUE(g.intact() && y.intact());
}

TEST(Products, CutRowsIntoChunksByTheirSizeAloneAndCoverAllOfThem) {
  const auto stored = dense_matrix(std::vector<double>(10'000 * 20, 1.0), 10'000, 20);
  std::vector<Index> chunks;
  for (const int threads : {1, 2, 7}) {
    ThreadTeam team(threads);
    Products products(*stored, {}, {}, team);
    chunks.push_back(products.row_chunks());
    std::vector<int> seen(10'000, 0);
    products.for_row_chunks([&](Index, Index first, Index last) {
      for (Index i = first; i < last; ++i) ++seen[to_size(i)];
    });
    EXPECT_EQ(seen, std::vector<int>(10'000, 1));
  }
  EXPECT_GT(chunks[0], 1);
  EXPECT_EQ(chunks, std::vector<Index>(3, chunks[0]));
}

TEST(Products, PassOnWhatARowThrows) {
  const auto stored = dense_matrix(std::vector<double>(10'000 * 20, 1.0), 10'000, 20);
  ThreadTeam team(3);
  Products products(*stored, {}, {}, team);
  EXPECT_THROW(products.row_sum([](Index first, Index) -> double {
    if (first > 0) throw 1;
    return 0.0;
  }),
               int);
  EXPECT_EQ(products.row_sum([](Index first, Index last) { return double(last - first); }), 1e4);
}

}  // namespace
}  // namespace polyak::test
