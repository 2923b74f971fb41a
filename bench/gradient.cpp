// The fused sampled gradient beside Eigen's row by row form of the same sum,
// and sampling by itself; 10⁵ × 100 doubles, fresh rows in every iteration.

#include <benchmark/benchmark.h>

#include <Eigen/Dense>

#include "core/random.hpp"
#include "matrix/products.hpp"
#include "polyak/generate.hpp"
#include "sampling/sampler.hpp"

namespace polyak {
namespace {

constexpr Index n = 100'000, d = 100;

struct Fixture {
  GeneratedProblem problem = generate(GaussianProblem{n, d});
  std::vector<double> norms = std::vector<double>(n, 1.0);
  Sampler sampler{norms};
  Random random{1, stream::sampling};
  std::vector<double> x = std::vector<double>(d, 0.5), g = std::vector<double>(d);
};

Fixture& fixture() {
  static Fixture made;
  return made;
}

void report_rows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * state.range(0) * d * 8);
}

void sampling(benchmark::State& state) {
  Fixture& f = fixture();
  std::vector<Index> rows(to_size(state.range(0))), scratch(rows.size());
  Index k = 0;
  for (auto _ : state) f.sampler.draw_batch(f.random, k++, rows, scratch);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void fused(benchmark::State& state) {
  Fixture& f = fixture();
  ThreadTeam team(0);
  Products products(*f.problem.A, {}, {}, team);
  std::vector<Index> rows(to_size(state.range(0))), scratch(rows.size());
  const std::vector<double> weights(rows.size(), 1.0);
  Index k = 0;
  for (auto _ : state) {
    f.sampler.draw_batch(f.random, k++, rows, scratch);
    products.gradient(rows, weights, {f.x.data(), 1, d, d}, f.problem.b.view(),
                      {f.g.data(), 1, d, d});
    benchmark::DoNotOptimize(f.g.data());
  }
  report_rows(state);
}

void eigen_rows(benchmark::State& state) {
  Fixture& f = fixture();
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows A(n, d);
  f.problem.A->copy_rows(0, n, {A.data(), n, d, d});
  const Eigen::Map<const Eigen::VectorXd> x(f.x.data(), d);
  std::vector<Index> rows(to_size(state.range(0))), scratch(rows.size());
  Eigen::VectorXd g(d);
  Index k = 0;
  for (auto _ : state) {
    f.sampler.draw_batch(f.random, k++, rows, scratch);
    g.setZero();
    for (Index i : rows) g += (A.row(i).dot(x) - f.problem.b(i)) * A.row(i).transpose();
    benchmark::DoNotOptimize(g.data());
  }
  report_rows(state);
}

BENCHMARK(sampling)->Arg(100)->Arg(10'000);
BENCHMARK(fused)->Arg(100)->Arg(1000)->Arg(10'000)->UseRealTime();
BENCHMARK(eigen_rows)->Arg(100)->Arg(1000)->Arg(10'000)->UseRealTime();

}  // namespace
}  // namespace polyak
