// Every target's dense kernels give the bits of the plain ones: all sizes,
// unaligned views, one and several columns, lists and ranges.

#include "polyak/simd.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/random.hpp"
#include "kernels/dense.hpp"
#include "kernels/reference.hpp"

namespace polyak::internal::kernels {
namespace {

using Numbers = std::vector<double>;

Numbers normals(Index count, std::uint64_t seed) {
  Numbers out(to_size(count));
  Random(seed, 1).normals(0, static_cast<std::uint64_t>(count), out.data());
  return out;
}

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

// A matrix that begins one value after an aligned address, with a stride of
// its own, and everything the kernels take beside it.
template <class Value>
struct Data {
  Index n, d, columns;
  std::vector<Value> storage;
  Numbers x, b, y, weights;
  std::vector<Index> list;

  Data(Index rows, Index cols, Index c)
      : n(rows),
        d(cols),
        columns(c),
        x(normals(c * d, 2)),
        b(normals(n * c, 3)),
        y(normals(n * c, 4)),
        weights(normals(n, 5)) {
    for (double v : normals(1 + n * (d + 3), 1)) storage.push_back(static_cast<Value>(v));
    for (Index t = 0; t < n; ++t) list.push_back((7 * t + 3) % n);
  }
  DenseBlock<Value> A() const { return {storage.data() + 1, d + 3, d}; }
  auto rows() const {
    return [A = A()](Index i) { return DenseRow<Value>{A.data + i * A.stride, A.d}; };
  }
  RowList listed() const { return {n, list.data(), weights.data()}; }
  ConstView X() const { return {x.data(), columns, d, d}; }
  ConstView B() const { return {b.data(), n, columns, columns}; }
  ConstView Y() const { return {y.data(), n, columns, columns}; }
  View of_d(Numbers& v) const { return {v.data(), columns, d, d}; }
  View of_n(Numbers& v) const { return {v.data(), n, columns, columns}; }
};

template <class Value>
Numbers results(const Data<Value>& in, bool plain) {
  Numbers all;
  const auto keep = [&](const Numbers& v) { all.insert(all.end(), v.begin(), v.end()); };
  Numbers g = in.x, r2(to_size(in.columns), 0.5), y(in.y.size());
  const RowList range{in.n, nullptr, nullptr};
  if (plain)
    reference::gradient(in.rows(), in.listed(), 0.5, 2.0, in.X(), in.B(), in.of_d(g), nullptr);
  else
    gradient(in.A(), in.listed(), 0.5, 2.0, in.X(), in.B(), in.of_d(g), nullptr);
  keep(g);
  if (plain)
    reference::gradient(in.rows(), range, 1.0, 1.0, in.X(), in.B(), in.of_d(g), r2.data());
  else
    gradient(in.A(), range, 1.0, 1.0, in.X(), in.B(), in.of_d(g), r2.data());
  keep(g), keep(r2);
  if (plain)
    reference::multiply(in.rows(), in.X(), in.of_n(y));
  else
    multiply(in.A(), in.X(), in.of_n(y));
  keep(y);
  if (plain)
    reference::add_transposed(in.rows(), in.Y(), in.of_d(g));
  else
    add_transposed(in.A(), in.Y(), in.of_d(g));
  keep(g);
  Numbers x = in.x, steps(to_size(in.n), 0.25 / static_cast<double>(in.d + 1));
  const RowList stepped{in.n, in.list.data(), steps.data()};
  if (plain)
    reference::kaczmarz(in.rows(), stepped, 2.0, in.B(), in.of_d(x));
  else
    kaczmarz(in.A(), stepped, 2.0, in.B(), in.of_d(x));
  keep(x);
  for (double scale : {1.0, 1e-170}) {  // the second: squares vanish
    Numbers rows(to_size(in.n)), cols(to_size(in.d), 0.0);
    if (plain)
      reference::norms(in.rows(), in.n, scale, rows.data(), cols.data());
    else
      norms(in.A(), in.n, scale, rows.data(), cols.data());
    keep(rows), keep(cols);
    if (plain)
      reference::norms(in.rows(), in.n, 1.0, rows.data(), nullptr);
    else
      norms(in.A(), in.n, 1.0, rows.data(), nullptr);
    keep(rows);
  }
  return all;
}

class Targets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use_simd_target(GetParam())); }
  void TearDown() override { use_simd_target(simd_targets().front()); }

  template <class Value>
  void expect_same() {
    for (Index d : {0, 1, 2, 3, 5, 7, 8, 9, 24, 25, 31, 64, 100, 104, 105, 1000, 4097, 8200})
      for (Index n : {1, 2, 4, 5, 23})
        for (Index c : {1, 3}) expect_same(Data<Value>(n, d, c));
    for (Index d : {1, 17, 60}) expect_same(Data<Value>(900, d, 1));  // beyond every distance
  }

  // With and without prefetch of ranges.
  template <class Value>
  void expect_same(const Data<Value>& in) {
    const bool chosen = range_prefetch_in_use();
    const Numbers plain = results(in, true);
    for (const bool prefetch : {false, true}) {
      use_range_prefetch(prefetch);
      EXPECT_TRUE(same_bits(results(in, false), plain))
          << "d " << in.d << ", n " << in.n << ", columns " << in.columns << ", prefetch "
          << prefetch;
    }
    use_range_prefetch(chosen);
  }
};

TEST_P(Targets, give_the_bits_of_the_reference_for_doubles) { expect_same<double>(); }
TEST_P(Targets, step_with_the_bits_of_the_formulas) {
  for (Index n : {0, 1, 2, 3, 5, 7, 8, 9, 31, 64, 100, 1001}) {
    const Numbers x = normals(n, 1), g = normals(n, 2), before = normals(n, 3);
    Numbers ball = before, ahead = before, down = x;
    heavy_ball_step(n, 0.3, 0.9, x.data(), g.data(), ball.data());
    extrapolate(n, 0.9, x.data(), ahead.data());
    gradient_step(n, 0.3, g.data(), down.data());
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_EQ(ball[j], (x[j] - 0.3 * g[j]) + 0.9 * (x[j] - before[j]));
      EXPECT_EQ(ahead[j], x[j] + 0.9 * (x[j] - before[j]));
      EXPECT_EQ(down[j], x[j] - 0.3 * g[j]);
    }
  }
}

TEST_P(Targets, give_the_bits_of_the_reference_for_floats) { expect_same<float>(); }

INSTANTIATE_TEST_SUITE_P(simd, Targets, testing::ValuesIn(simd_targets()),
                         [](const auto& given) { return given.param; });

TEST(simd, has_plain_code_everywhere_and_uses_the_best) {
  const auto targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.back(), "plain");
  EXPECT_EQ(simd_target(), targets.front());
  EXPECT_FALSE(use_simd_target("mmx"));
  EXPECT_TRUE(use_simd_target("plain"));
  EXPECT_EQ(simd_target(), "plain");
  EXPECT_EQ(simd_targets(), targets);
  EXPECT_TRUE(use_simd_target(targets.front()));
}

}  // namespace
}  // namespace polyak::internal::kernels
