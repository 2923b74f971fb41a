// Every kernel against a plain loop: one iteration within a bound from rounding analysis,
// many iterations with the same bits again, in one launch or in several.

#include <gtest/gtest.h>

#include <string>

#include "problems.hpp"

namespace polyak::cuda::test {
using namespace polyak::internal;

namespace {

constexpr double alpha[] = {0.01}, beta[] = {0.6};
constexpr Index k = 7;

Iterations one(Method method, Index batch, Path path, int clusters = 0) {
  return {.method = method,
          .seed = 3,
          .stream = 1,
          .batch = batch,
          .first = k,
          .last = k + 1,
          .step_size = alpha,
          .momentum = beta,
          .path = path,
          .clusters = clusters};
}

template <class Value>
void expect_step(const Problem<Value>& p, Engine& engine, const Iterations& run,
                 const std::string& kernel) {
  std::vector<double> y(to_size(p.d)), x(to_size(p.d)), previous(to_size(p.d));
  for (std::size_t j = 0; j < y.size(); ++j)
    y[j] = gradient_point(run.method, beta[0], {p.x[j], p.previous[j]});
  const Draws drawn = engine.draws(run.seed, run.stream, k, run.batch);
  const Gradient exact = plain_gradient(p, drawn.rows, drawn.weights, y);
  engine.get_state(x, previous);
  const double count = roundings(p, run.batch);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double g = static_cast<double>(exact.g[j]);
    const double expected = step(run.method, alpha[0], beta[0], g, {p.x[j], p.previous[j]}).x;
    const double bound =
        alpha[0] * count * unit * static_cast<double>(exact.size[j]) + 16.0 * unit * 4.0;
    ASSERT_NEAR(x[j], expected, bound)
        << kernel << ": d " << p.d << ", batch " << run.batch << ", column " << j;
    ASSERT_EQ(previous[j], p.x[j]);
  }
}

template <class Value>
void expect_steps(Index n, Index d, std::initializer_list<Index> batches, bool weighted) {
  const Problem<Value> p(n, d, weighted);
  Engine engine = p.engine();
  for (const Index batch : batches) {
    for (const Method method : {Method::sgd, Method::hbm, Method::nag}) {
      for (const Path path : {Path::generic, Path::automatic}) {
        engine.set_state(p.x, p.previous);
        const Iterations run = one(method, batch, path);
        const std::string kernel = engine.advance(run);
        expect_step(p, engine, run, kernel);
      }
    }
  }
}

class Columns : public testing::TestWithParam<Index> {};

TEST_P(Columns, OneStepIsThatOfAPlainLoop) {
  expect_steps<double>(700, GetParam(), {1, 3, 4, 16, 33, 128, 300, 1000, 2500, 7001}, false);
}
TEST_P(Columns, OneStepWithRowWeightsIsThatOfAPlainLoop) {
  expect_steps<double>(700, GetParam(), {2, 40, 700}, true);
}
TEST_P(Columns, OneStepOfFloatsIsThatOfAPlainLoop) {
  expect_steps<float>(700, GetParam(), {1, 20, 200, 2000, 7000}, true);
}

TEST_P(Columns, FullGradientIsThatOfAPlainLoop) {
  const Problem<double> p(701, GetParam(), true);
  Engine engine = p.engine();
  std::vector<Index> rows;
  for (Index i = 0; i < p.n; ++i) rows.push_back(i);
  const Gradient exact = plain_gradient(p, rows, p.weights, p.x);
  const double count = roundings(p, p.n);
  for (const Path path : {Path::generic, Path::automatic}) {
    std::vector<double> g(to_size(p.d));
    const double square = engine.full_gradient(g, path);
    const auto expected = static_cast<double>(exact.square);
    EXPECT_NEAR(square, expected, 2.0 * count * unit * static_cast<double>(p.n * p.d * p.d));
    for (std::size_t j = 0; j < g.size(); ++j)
      ASSERT_NEAR(g[j], static_cast<double>(exact.g[j]),
                  count * unit * static_cast<double>(exact.size[j]));
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, Columns,
                         testing::Values(1, 2, 3, 31, 32, 100, 103, 104, 255, 1000, 1023, 4097),
                         [](const auto& d) { return "d" + std::to_string(d.param); });

std::vector<double> after(const Problem<double>& p, Engine& engine, Iterations run) {
  std::vector<double> x(to_size(p.d)), previous(to_size(p.d));
  engine.set_state(p.x, p.previous);
  engine.advance(run);
  engine.get_state(x, previous);
  x.insert(x.end(), previous.begin(), previous.end());
  return x;
}

// Step sizes that change and stay small, so that the iterates keep their size.
std::vector<double> schedule(Index count, double scale) {
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(scale * (1.0 + 0.5 / static_cast<double>(i + 1)));
  return out;
}

class Batches : public testing::TestWithParam<Index> {};

TEST_P(Batches, TwentyRepeatsHaveTheSameBits) {
  for (const Index d : {31, 100, 1000}) {
    const Problem<double> p(3000, d);
    Engine engine = p.engine();
    const double small[] = {1.0 / static_cast<double>(p.n * p.d)};
    for (const Path path : {Path::automatic, Path::generic}) {
      Iterations run = one(Method::hbm, GetParam(), path);
      run.step_size = small;
      run.first = 0;
      run.last = path == Path::generic ? 30 : 200;
      const auto first = after(p, engine, run);
      ASSERT_TRUE(std::isfinite(first[0]));
      for (int i = 1; i < 20; ++i) ASSERT_EQ(after(p, engine, run), first) << "repeat " << i;
    }
  }
}

TEST_P(Batches, TenIterationsAreFourThenSix) {
  const auto steps = schedule(10, 0.004), momenta = schedule(10, 0.4);
  for (const Method method : {Method::sgd, Method::hbm, Method::nag}) {
    const Problem<double> p(3000, 100);
    Engine engine = p.engine();
    for (const Path path : {Path::automatic, Path::generic}) {
      Iterations run = one(method, GetParam(), path);
      run.first = 0;
      run.last = 10;
      run.step_size = steps;
      run.momentum = momenta;
      const auto whole = after(p, engine, run);
      run.last = 4;
      run.step_size = std::span(steps).first(4);
      run.momentum = std::span(momenta).first(4);
      after(p, engine, run);
      run.first = 4;
      run.last = 10;
      run.step_size = std::span(steps).subspan(4);
      run.momentum = std::span(momenta).subspan(4);
      engine.advance(run);
      std::vector<double> x(100), previous(100);
      engine.get_state(x, previous);
      x.insert(x.end(), previous.begin(), previous.end());
      EXPECT_EQ(x, whole);
    }
  }
}

// Sums in two orders for 40 iterations of a contraction: differences of one iteration, at
// most as bounded above, do not grow.
TEST_P(Batches, BothPathsAgreeAfterFortyIterations) {
  for (const Index d : {3, 100, 1000}) {
    const Problem<double> p(3000, d);
    Engine engine = p.engine();
    const double small[] = {1.0 / static_cast<double>(p.n * p.d)};
    Iterations run = one(Method::hbm, std::max<Index>(GetParam(), 16), Path::generic);
    run.first = 0;
    run.last = 40;
    run.step_size = small;
    const auto expected = after(p, engine, run);
    run.path = Path::automatic;
    const auto found = after(p, engine, run);
    double largest = 1.0;
    for (const double v : expected) largest = std::max(largest, std::abs(v));
    for (std::size_t j = 0; j < found.size(); ++j)
      ASSERT_NEAR(found[j], expected[j], 1e-10 * largest) << "d " << d << ", column " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, Batches, testing::Values(1, 16, 64, 128, 512, 1024, 3000, 10000),
                         [](const auto& b) { return "B" + std::to_string(b.param); });

TEST(Gpu, AnyNumberOfClustersGivesTheStepOfAPlainLoop) {
  if (device_facts(0).major != 9) GTEST_SKIP() << "clusters are Hopper's";
  for (const Index d : {3, 100, 300}) {
    const Problem<double> p(500, d);
    Engine engine = p.engine();
    for (const int clusters : {1, 2, 7, 15}) {
      for (const Index batch : {1, 100, 3000, 9000}) {
        engine.set_state(p.x, p.previous);
        const Iterations run = one(Method::hbm, batch, Path::hopper, clusters);
        expect_step(p, engine, run, engine.advance(run));
      }
    }
  }
}

}  // namespace
}  // namespace polyak::cuda::test
