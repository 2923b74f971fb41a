// Every target's sums of a panel against long doubles: all shapes of tiles,
// unaligned views, floats, factors.

#include "kernels/gram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "polyak/simd.hpp"
#include "values.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

using namespace kernels;

constexpr double unit = std::numeric_limits<double>::epsilon() / 2.0;

double factor(Index t) { return 0.3 + static_cast<double>(t % 5); }

// A panel of rows that begin one value after an aligned address, with a stride
// of their own; packed in two goes.
template <class Value>
std::vector<double> panel_of(Index rows, Index d) {
  const Index stride = d + 3, half = rows / 3;
  const auto storage = normals<Value>(1 + rows * stride, 71);
  std::vector<double> factors, panel(to_size(panel_size(d)), 0.0);
  for (Index t = 0; t < rows; ++t) factors.push_back(factor(t));
  const DenseBlock<Value> A{storage.data() + 1, stride, d};
  pack_rows(A, factors.data(), 0, half, panel.data());
  pack_rows({A.data + half * stride, stride, d}, factors.data() + half, half, rows - half,
            panel.data());
  for (Index t = 0; t < rows; ++t) {
    for (Index j = 0; j < d; ++j) {
      EXPECT_EQ(panel[to_size(panel_place(t, j))],
                factor(t) * static_cast<double>(A.data[t * stride + j]));
    }
  }
  return panel;
}

// H = 1 + PᵀP, each cell by itself.
std::vector<double> sum_of(const std::vector<double>& panel, Index rows, Index d) {
  const Index stride = column_blocks(d) * block_columns;
  std::vector<double> H(to_size(stride * stride), 1.0);
  const PrefetchRange coming{panel.data(), static_cast<Index>(panel.size() * sizeof(double))};
  for (Index I = 0; I < cell_rows(d); ++I)
    for (Index J = 0; J <= I; ++J) add_cell(panel.data(), rows, d, I, J, H.data(), coming);
  return H;
}

// A chain of `rows` products and sums, then one sum with what H held: at most
// rows + 1 roundings of no more than 1 + Σ|terms|, to first order.
void expect_sums(const std::vector<double>& panel, Index rows, Index d) {
  const auto H = sum_of(panel, rows, d);
  const Index stride = column_blocks(d) * block_columns, step = d > 100 ? 7 : 1;
  for (Index i = 0; i < d; i += step) {
    for (Index j = 0; j <= i; j += step) {
      long double sum = 1.0L, size = 1.0L;
      for (Index r = 0; r < rows; ++r) {
        const long double term = static_cast<long double>(panel[to_size(panel_place(r, i))]) *
                                 static_cast<long double>(panel[to_size(panel_place(r, j))]);
        sum += term;
        size += std::abs(term);
      }
      const double error = static_cast<double>(std::abs(H[to_size(i * stride + j)] - sum));
      ASSERT_LE(error, 1.01 * static_cast<double>(rows + 1) * unit * static_cast<double>(size))
          << "d " << d << ", rows " << rows << ", entry " << i << ", " << j;
    }
  }
}

class GramTargets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use_simd_target(GetParam())); }
  void TearDown() override { use_simd_target(simd_targets().front()); }

  template <class Value>
  void expect_all_shapes() {
    for (Index d : {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 22, 31, 64, 100, 101, 192, 193, 257})
      for (Index rows : {1, 2, 9, 255, 256}) expect_sums(panel_of<Value>(rows, d), rows, d);
  }
};

TEST_P(GramTargets, sum_the_products_of_doubles) { expect_all_shapes<double>(); }
TEST_P(GramTargets, sum_the_products_of_floats) { expect_all_shapes<float>(); }

TEST_P(GramTargets, leave_the_rows_above_a_cell_alone) {
  const Index d = 200, stride = 200;
  const auto panel = panel_of<double>(5, d);
  std::vector<double> H(to_size(stride * stride), 0.5);
  add_cell(panel.data(), 5, d, 1, 0, H.data());
  const Index edge = cell_blocks * block_columns;
  EXPECT_TRUE(std::all_of(H.begin(), H.begin() + edge * stride, [](double h) { return h == 0.5; }));
  for (Index i = edge; i < d; ++i)
    for (Index j = edge; j < d; ++j) ASSERT_EQ(H[to_size(i * stride + j)], 0.5);
}

INSTANTIATE_TEST_SUITE_P(simd, GramTargets, testing::ValuesIn(simd_targets()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace polyak::test
