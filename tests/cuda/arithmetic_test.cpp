// The device's arithmetic, run on the host, against the CPU's kernels.

#include "cuda/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "kernels/dense.hpp"
#include "kernels/reference.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double unit = std::numeric_limits<double>::epsilon() / 2.0;

std::vector<double> normals(std::size_t count, std::uint64_t k) {
  std::vector<double> out(count);
  Random(31, stream::entries).normals(k, count, out.data());
  return out;
}

// What the eight lanes of a row do on the device, one after the other.
template <int per_lane>
double dot_by_lanes(const std::vector<double>& a, const std::vector<double>& x) {
  double part[8];
  for (int l = 0; l < 8; ++l) {
    double own[per_lane] = {}, point[per_lane] = {};
    for (int c = 0; c < per_lane; ++c) {
      const auto j = static_cast<std::size_t>(c * 8 + l);
      if (j < a.size()) own[c] = a[j], point[c] = x[j];
    }
    part[l] = cuda::lane_part(own, point);
  }
  return cuda::lane_tree<8>(part);
}

TEST(CudaArithmetic, DotProductOfEightLanesHasTheBitsOfTheReference) {
  for (const std::size_t d : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 64u, 100u, 103u}) {
    const auto a = normals(d, d), x = normals(d, 1000 + d);
    const kernels::DenseRow<double> row{a.data(), static_cast<Index>(d)};
    EXPECT_EQ(dot_by_lanes<13>(a, x), row.dot(x.data())) << "d " << d;
  }
}

TEST(CudaArithmetic, SquaresHaveTheBitsOfTheReference) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const std::size_t d : {1u, 3u, 8u, 9u, 31u, 100u}) {
    for (const double factor : {1.0, 1e-160, 1e-200, 0.0, tiny}) {
      auto a = normals(d, d);
      for (double& v : a) v *= factor;
      cuda::LaneSquares lane[8];
      for (std::size_t j = 0; j < d; ++j) lane[j % 8].add(a[j], 0.5);
      double part[8];
      bool zero = true;
      for (int l = 0; l < 8; ++l) {
        part[l] = lane[l].sum;
        zero = zero && lane[l].zero;
      }
      const auto count = static_cast<Index>(d);
      EXPECT_EQ(cuda::visible_norm2(cuda::lane_tree<8>(part), zero),
                kernels::norm2(a.data(), count, 0.5));
      for (const double v : a)
        EXPECT_EQ(cuda::visible_square(v, 0.5), kernels::visible_square(v, 0.5));
    }
  }
}

TEST(CudaArithmetic, TreeSumTakesEveryTermOnce) {
  std::vector<double> s(40);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = static_cast<double>(i);
  EXPECT_EQ(cuda::tree_sum<1>(s.data(), 1), 0.0);
  EXPECT_EQ(cuda::tree_sum<13>(s.data(), 1), 78.0);
  EXPECT_EQ(cuda::tree_sum<8>(s.data(), 5), 140.0);
}

TEST(CudaArithmetic, StepsHaveTheBitsOfTheCpusSteps) {
  constexpr Index d = 200;
  constexpr double alpha = 0.37, beta = 0.81;
  const auto x = normals(d, 1), before = normals(d, 2), g = normals(d, 3);
  auto sgd = x, hbm = before, nag = before;
  kernels::gradient_step(d, alpha, g.data(), sgd.data());
  kernels::heavy_ball_step(d, alpha, beta, x.data(), g.data(), hbm.data());
  kernels::extrapolate(d, beta, x.data(), nag.data());
  for (std::size_t j = 0; j < to_size(d); ++j) {
    const cuda::Entry entry{x[j], before[j]};
    EXPECT_EQ(cuda::gradient_point(cuda::Method::nag, beta, entry), nag[j]);
    EXPECT_EQ(cuda::gradient_point(cuda::Method::hbm, beta, entry), x[j]);
    EXPECT_EQ(cuda::step(cuda::Method::sgd, alpha, beta, g[j], entry).x, sgd[j]);
    EXPECT_EQ(cuda::step(cuda::Method::hbm, alpha, beta, g[j], entry).x, hbm[j]);
  }
  kernels::gradient_step(d, alpha, g.data(), nag.data());
  for (std::size_t j = 0; j < to_size(d); ++j) {
    const cuda::Entry next = cuda::step(cuda::Method::nag, alpha, beta, g[j], {x[j], before[j]});
    EXPECT_EQ(next.x, nag[j]);
    EXPECT_EQ(next.previous, x[j]);
  }
}

// A block of m rows against m single steps. Each projection is a contraction, and each of
// the m steps of either way rounds sums of at most d + m terms of size max|a|²·d: the
// difference is at most 4·m·(d + m)·unit relative to the largest entry met, generously.
TEST(CudaArithmetic, KaczmarzBlockHasTheIteratesOfSingleSteps) {
  for (const int m : {1, 2, 7, 64}) {
    constexpr Index d = 100;
    const auto A = normals(to_size(m * d), 50), start = normals(d, 51);
    const auto b = normals(to_size(m), 52);
    const auto row = [&](Index t) { return kernels::DenseRow<double>{A.data() + t * d, d}; };
    std::vector<double> weight(to_size(m)), s(to_size(m)), G(to_size(m * m)), c(to_size(m));
    std::vector<Index> order(to_size(m));
    auto expected = start, found = start;
    for (int t = 0; t < m; ++t) {
      order[to_size(t)] = t;
      weight[to_size(t)] = 1.0 / row(t).dot(row(t).a);
      s[to_size(t)] = row(t).dot(start.data()) - b[to_size(t)];
      for (int i = 0; i < m; ++i) G[to_size(t * m + i)] = row(t).dot(row(i).a);
    }
    for (int t = 0; t < m; ++t) {
      const double r = row(t).dot(expected.data()) - b[to_size(t)];
      row(t).add_to(-weight[to_size(t)] * r, expected.data());
    }
    cuda::kaczmarz_block(m, G.data(), weight.data(), s.data(), c.data());
    for (int t = 0; t < m; ++t) row(t).add_to(-c[to_size(t)], found.data());
    for (std::size_t j = 0; j < to_size(d); ++j)
      EXPECT_NEAR(found[j], expected[j], 4.0 * m * (d + m) * unit * 4.0) << "block of " << m;
  }
}

}  // namespace
}  // namespace polyak::test
