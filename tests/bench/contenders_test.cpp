// Contenders that did less work than they say would make fine benchmarks of
// nothing: all give the same numbers.

#include "bench/contenders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/session.hpp"
#include "matrix/products.hpp"

namespace polyak::bench {
using namespace polyak::bench::internal;
using namespace polyak::internal;

namespace {

constexpr Index n = 500, d = 37, batch = 64;

struct Fixture {
  ThreadTeam team{3};
  Dense data{n, d, 1, team};
  FreshRows rows{n, batch, 2};
  std::span<const double> weights{data.weights.data(), to_size(batch)};
  Fixture() { rows.prepare(1); }

  std::vector<double> ours() {
    std::vector<double> g(to_size(d));
    Products products(*data.matrix, {}, {}, team);
    products.gradient(rows(0), weights, data.x_view(), data.b_view(), {g.data(), 1, d, d});
    return g;
  }
};

// Sums of at most `batch` products of numbers below 1, each of `d` more.
constexpr double bound = 2.0 * batch * d * 2.2e-16 * d;

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], bound) << j;
}

TEST(Contenders, GiveOurGradient) {
  Fixture f;
  const std::vector<double> ours = f.ours();
  std::vector<double> g(to_size(d), -1.0);
  BlasGradient blas(f.data.A(), f.data.b_view(), batch, f.team);
  blas(f.rows(0), f.weights, f.data.x.data(), g.data());
  expect_near(g, ours);
  std::fill(g.begin(), g.end(), -1.0);
  eigen_gradient(f.data.A(), f.data.b_view(), f.rows(0), f.weights, f.data.x.data(), g.data());
  expect_near(g, ours);
}

TEST(Contenders, GiveTheGramMatrix) {
  Fixture f;
  std::vector<double> H;
  blas_gram(f.data.A(), H);
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 0}, {3, 17}, {36, 36}}) {
    double sum = 0.0;
    for (Index t = 0; t < n; ++t) sum += f.data.A()(t, i) * f.data.A()(t, j);
    EXPECT_NEAR(H[to_size(i * d + j)], sum, n * n * 2.2e-16);
  }
}

TEST(Probes, ReadEveryValueAndEveryRow) {
  Fixture f;
  const double all = std::accumulate(f.data.values.begin(), f.data.values.end(), 0.0);
  EXPECT_NEAR(read_values(f.data.values.data(), n * d), all, 1e-9);
  EXPECT_NEAR(read_values(f.data.values.data(), n * d, f.team), all, 1e-9);
  double listed = 0.0;
  for (const Index i : f.rows(0))
    for (Index j = 0; j < d; ++j) listed += f.data.A()(i, j);
  EXPECT_NEAR(read_rows(f.data.A(), f.rows(0)), listed, 1e-9);
  EXPECT_NEAR(read_rows(f.data.A(), f.rows(0), f.team), listed, 1e-9);
}

TEST(FreshRows, AreSortedInRangeAndNewForEveryCall) {
  FreshRows rows(1000, 50, 3);
  rows.prepare(2);
  const std::vector<Index> first(rows(0).begin(), rows(0).end()),
      second(rows(1).begin(), rows(1).end());
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_GE(first.front(), 0);
  EXPECT_LT(first.back(), 1000);
  EXPECT_NE(first, second);
  rows.prepare(1);
  EXPECT_FALSE(std::equal(first.begin(), first.end(), rows(0).begin()));
}

TEST(FreshRows, CoverTheMatrixEvenly) {
  FreshRows rows(10, 100'000, 4);
  rows.prepare(1);
  std::vector<int> counts(10, 0);
  for (const Index row : rows(0)) ++counts[to_size(row)];
  // Six standard deviations of a binomial count.
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 6 * std::sqrt(10'000 * 0.9));
}

template <class Sampler>
void expect_frequencies() {
  const std::vector<double> weights{1, 0, 3, 6};
  std::vector<Index> rows(100'000);
  std::mt19937_64 generator(5);
  Sampler(weights).draw(generator, rows);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double p = weights[j] / 10.0, mean = 1e5 * p;
    const auto count =
        static_cast<double>(std::count(rows.begin(), rows.end(), static_cast<Index>(j)));
    EXPECT_NEAR(count, mean, 6 * std::sqrt(mean * (1 - p))) << j;
  }
}

TEST(PlainSamplers, DrawInProportionToTheWeights) {
  expect_frequencies<SearchSampler>();
  expect_frequencies<AliasSampler>();
}

}  // namespace
}  // namespace polyak::bench
