#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/reference.hpp"
#include "values.hpp"

namespace polyak::test::rows {
using namespace polyak::internal;

namespace {

using kernels::DenseRow;
using kernels::SparseRow;

constexpr double u = 0x1p-53;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A row of `count` stored values in either storage, and its columns.
template <class Value>
struct Dense {
  using Stored = Value;
  explicit Dense(Index count, std::uint64_t seed = 1) : a(normals<Value>(count, seed)) {}
  Index cols() const { return std::ssize(a); }
  Index column(Index j) const { return j; }
  DenseRow<Value> row() const { return {a.data(), cols()}; }
  std::vector<Value> a;
};
template <class Value, class Column>
struct Sparse {
  using Stored = Value;
  explicit Sparse(Index count, std::uint64_t seed = 1)
      : a(normals<Value>(count, seed)), col(columns<Column>(count, seed)) {}
  Index cols() const { return 3 * std::ssize(a); }
  Index column(Index j) const { return static_cast<Index>(col[to_size(j)]); }
  SparseRow<Value, Column> row() const { return {a.data(), col.data(), std::ssize(a), cols()}; }
  std::vector<Value> a;
  std::vector<Column> col;
};

template <class Row>
class Rows : public ::testing::Test {};
using Storages =
    ::testing::Types<Dense<double>, Dense<float>, Sparse<double, std::int32_t>,
                     Sparse<double, Index>, Sparse<float, std::int32_t>, Sparse<float, Index>>;
TYPED_TEST_SUITE(Rows, Storages);

// Each product is rounded once or with its sum, then d/8 additions in a lane and 3 in the tree.
TYPED_TEST(Rows, HaveADotProductWithinItsErrorBound) {
  for (const Index count : sizes) {
    const TypeParam data(count);
    const auto x = normals<double>(data.cols(), 2);
    long double exact = 0.0L, absolute = 0.0L;
    for (Index j = 0; j < count; ++j) {
      const long double term = static_cast<long double>(data.a[to_size(j)]) *
                               static_cast<long double>(x[to_size(data.column(j))]);
      exact += term;
      absolute += std::abs(term);
    }
    const double bound =
        (static_cast<double>(count) / 8.0 + 3.0) * u * static_cast<double>(absolute);
    EXPECT_LE(std::abs(static_cast<double>(data.row().dot(x.data()) - exact)), bound) << count;
  }
}

// c·a + g: rounded once for dense rows, twice for sparse ones.
template <class Row>
double plus_product(const Row&, double c, double a, double g) {
  return c * a + g;
}
template <class Value>
double plus_product(const Dense<Value>&, double c, double a, double g) {
  return std::fma(c, a, g);
}

TYPED_TEST(Rows, AddThemselvesToAVectorWithTheRoundingsOfTheirDefinition) {
  for (const Index count : sizes) {
    const TypeParam data(count);
    auto g = normals<double>(data.cols(), 3), scaled = g;
    const auto before = g;
    data.row().add_to(0.3, g.data());
    data.row().add_scaled_to(0.3, 0.7, scaled.data());
    auto expected = before, expected_scaled = before;
    for (Index j = 0; j < count; ++j) {
      const auto a = static_cast<double>(data.a[to_size(j)]);
      const auto at = to_size(data.column(j));
      expected[at] = plus_product(data, 0.3, a, expected[at]);
      expected_scaled[at] = plus_product(data, 0.3, 0.7 * a, expected_scaled[at]);
    }
    EXPECT_EQ(g, expected) << count;
    EXPECT_EQ(scaled, expected_scaled) << count;
  }
}

TYPED_TEST(Rows, CopyThemselvesAsDenseDoubles) {
  for (const Index count : sizes) {
    const TypeParam data(count);
    std::vector<double> out(to_size(data.cols()), -7.0), expected(out.size(), 0.0);
    data.row().copy(out.data());
    for (Index j = 0; j < count; ++j)
      expected[to_size(data.column(j))] = static_cast<double>(data.a[to_size(j)]);
    EXPECT_EQ(out, expected) << count;
  }
}

TYPED_TEST(Rows, AddTheirSquares) {
  for (const Index count : sizes) {
    const TypeParam data(count);
    std::vector<double> sums(to_size(data.cols()), 2.0), expected = sums;
    data.row().add_squares(0.5, sums.data());
    for (Index j = 0; j < count; ++j) {
      const double s = 0.5 * static_cast<double>(data.a[to_size(j)]);
      expected[to_size(data.column(j))] += s * s;
    }
    EXPECT_EQ(sums, expected) << count;
  }
}

TYPED_TEST(Rows, AddASquareThatShowsForEveryValueThatIsNotZero) {
  using Value = typename TypeParam::Stored;
  TypeParam data(3);
  data.a = {std::numeric_limits<Value>::denorm_min(), Value{0}, -std::numeric_limits<Value>::min()};
  std::vector<double> sums(to_size(data.cols()), 0.0);
  data.row().add_squares(0x1p-900, sums.data());
  EXPECT_GT(sums[to_size(data.column(0))], 0.0);
  EXPECT_EQ(sums[to_size(data.column(1))], 0.0);
  EXPECT_GT(sums[to_size(data.column(2))], 0.0);
}

TYPED_TEST(Rows, PassNanAndInfOn) {
  using Value = typename TypeParam::Stored;
  for (const Index place : {0, 4, 8, 12}) {
    for (const double bad : {nan, inf, -inf}) {
      TypeParam data(13);
      data.a[to_size(place)] = static_cast<Value>(bad);
      const std::vector<double> x(to_size(data.cols()), 1.0);
      const double dot = data.row().dot(x.data());
      EXPECT_TRUE(std::isnan(bad) ? std::isnan(dot) : dot == bad);
      std::vector<double> g(to_size(data.cols()), 1.0), sums = g;
      data.row().add_to(1.0, g.data());
      data.row().add_squares(1.0, sums.data());
      EXPECT_FALSE(std::isfinite(g[to_size(data.column(place))]));
      EXPECT_FALSE(std::isfinite(sums[to_size(data.column(place))]));
      EXPECT_FALSE(std::isfinite(kernels::norm2(data.a.data(), 13, 1.0)));
    }
  }
}

TYPED_TEST(Rows, PassANanInXOn) {
  const TypeParam data(9);
  std::vector<double> x(to_size(data.cols()), 1.0);
  x[to_size(data.column(8))] = nan;
  EXPECT_TRUE(std::isnan(data.row().dot(x.data())));
}

}  // namespace
}  // namespace polyak::test::rows
