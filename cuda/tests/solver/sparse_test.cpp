// Sparse rows of many shapes: several blocks of rows, columns that are cut into pieces, few entries
// in a column, rows far longer than the others, more entries than one sort takes.

#include "operations.hpp"

namespace polyak::test {
namespace {

struct Shape {
  const char* name;
  Index n, d, per_row;
  Index long_rows = 0;  // the first rows, with an entry in every column
};

// Columns of row i: one in each of per_row equal parts of the columns, the part that is 0 skipped
// in every seventh row.
template <class Column>
Csr<double, Column> entries_of(const Shape& shape) {
  Csr<double, Column> csr;
  csr.cols = shape.d;
  csr.row_start.push_back(0);
  for (Index i = 0; i < shape.n; ++i) {
    const Index count = i < shape.long_rows ? shape.d : shape.per_row;
    for (Index k = 0; k < count; ++k) {
      if (k == 0 && i % 7 == 3) continue;
      const Index from = shape.d * k / count, to = shape.d * (k + 1) / count;
      csr.columns.push_back(static_cast<Column>(from + (i * 7919 + k * 31) % (to - from)));
      csr.values.push_back(static_cast<double>((i * 13 + k * 7) % 1001 - 500) / 300.0);
    }
    csr.row_start.push_back(std::ssize(csr.values));
  }
  return csr;
}

class SparseShapes : public testing::TestWithParam<Shape> {};

TEST_P(SparseShapes, gradients_and_products_are_near_plain_sums) {
  const Shape& shape = GetParam();
  const auto csr = entries_of<std::int32_t>(shape);
  const MatrixPtr A = csr_matrix(entries_of<std::int32_t>(shape));
  const Rows b = random(shape.n, 1, 6), x = random(1, shape.d, 8);
  ThreadTeam team(1);
  const auto gpu = make_backend("cuda", {*A, {b.data(), shape.n, 1, 1}, {}, {}, {}, {}, team});
  Block on_gpu = gpu->make(Block::Kind::unknowns, 1), g = gpu->make(Block::Kind::unknowns, 1);
  Block y = gpu->make(Block::Kind::equations, 1), h = gpu->make(Block::Kind::unknowns, 1);
  gpu->write({x.data(), 1, shape.d, shape.d}, on_gpu);
  gpu->write({b.data(), shape.n, 1, 1}, y);
  double squares = 0.0;
  gpu->full_gradient(on_gpu, g, {&squares, 1}, nullptr);
  gpu->multiply_transposed(y, h);
  const std::vector<double> found = gpu->host_copy(g), product = gpu->host_copy(h);
  gpu->multiply(on_gpu, y);
  const std::vector<double> Ax = gpu->host_copy(y);

  std::vector<double> sum(to_size(shape.d)), size(sum), Atb(sum), Atb_size(sum), terms(sum);
  double squares_sum = 0.0, squares_size = 0.0, longest = 0.0;
  for (Index i = 0; i < shape.n; ++i) {
    const std::size_t first = to_size(csr.row_start[to_size(i)]),
                      last = to_size(csr.row_start[to_size(i + 1)]);
    double r = 0.0, r_size = 0.0;
    for (std::size_t k = first; k < last; ++k) {
      r += csr.values[k] * x(0, csr.columns[k]);
      r_size += std::abs(csr.values[k] * x(0, csr.columns[k]));
    }
    const auto count = static_cast<double>(last - first);
    longest = std::max(longest, count);
    ASSERT_NEAR(Ax[to_size(i)], r, 2.0 * (count + 2.0) * u * r_size) << i;
    r -= b(i, 0);
    r_size += std::abs(b(i, 0));
    squares_sum += r * r;
    squares_size += r_size * r_size;
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t j = to_size(csr.columns[k]);
      sum[j] += r * csr.values[k];
      size[j] += r_size * std::abs(csr.values[k]);
      Atb[j] += b(i, 0) * csr.values[k];
      Atb_size[j] += std::abs(b(i, 0) * csr.values[k]);
      ++terms[j];
    }
  }
  // Both sums have an error: of the residual, of the products and of the additions.
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const double bound = 2.0 * (longest + terms[j] + 4.0) * u;
    ASSERT_NEAR(found[j], sum[j], bound * size[j]) << j;
    ASSERT_NEAR(product[j], Atb[j], bound * Atb_size[j]) << j;
  }
  EXPECT_NEAR(squares, squares_sum,
              2.0 * (2.0 * longest + static_cast<double>(shape.n) + 4.0) * u * squares_size);
  for (int repeat = 0; repeat < 20; ++repeat) {
    double again = 0.0;
    gpu->full_gradient(on_gpu, g, {&again, 1}, nullptr);
    ASSERT_EQ(gpu->host_copy(g), found);
    ASSERT_EQ(again, squares);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gpu, SparseShapes,
    testing::Values(Shape{"one_entry", 1, 1, 1}, Shape{"one_full_column", 20000, 1, 1},
                    Shape{"several_blocks", 30011, 50, 8}, Shape{"wide_blocks", 40000, 3000, 5},
                    Shape{"few_in_a_column", 50000, 40000, 2},
                    Shape{"rows_of_other_lengths", 20000, 2000, 3, 5},
                    Shape{"two_sorts", 200000, 200, 100}, Shape{"long_rows", 30, 1000000, 700000}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace polyak::test
