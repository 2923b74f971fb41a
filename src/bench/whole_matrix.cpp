#include <fmt/format.h>

#include "bench/peers.hpp"
#include "bench/probe.hpp"
#include "bench/session.hpp"
#include "matrix/products.hpp"
#include "spectrum/gram.hpp"

// Kernels that read all rows in order, or one row at a time.

namespace polyak::bench {
namespace {

constexpr double part = 0.06;  // of the subject's time, for each race here

const auto nothing = [](Index) {};

View as_vectors(std::vector<double>& values, Index count) {
  const Index d = std::ssize(values) / count;
  return {values.data(), count, d, d};
}

void full_gradient(Session& session) {
  const Dense& data = session.dense();
  const double bytes = data.matrix->bytes();
  Products many(*data.matrix, {}, {}, session.team()), one(*data.matrix, {}, {}, session.single());
  std::vector<double> g(data.x.size()), residual2(1);
  double sum = 0.0;
  Race race("kernels", "gradient of all rows");
  race.add({"streaming read", bytes, repeated(nothing, [&](Index) {
              sum += read_values(data.values.data(), std::ssize(data.values), session.team());
            })});
  race.add({"fused, double", bytes, repeated(nothing, [&](Index) {
              many.full_gradient(data.x_view(), data.b_view(), as_vectors(g, 1), residual2);
            })});
  race.add({"fused, double, 1 thread", bytes, repeated(nothing, [&](Index) {
              one.full_gradient(data.x_view(), data.b_view(), as_vectors(g, 1), residual2);
            })});
  session.run(race, part);
  race.share("fused, double", "streaming read", "of streaming");
  race.faster("fused, double", "fused, double, 1 thread", "1 thread");
  session.keep(race);
}

void several_right_hand_sides(Session& session) {
  constexpr Index count = 4;
  const Dense& data = session.dense();
  const Index n = data.matrix->rows(), batch = std::min<Index>(n, 10'000);
  const double bytes = data.row_bytes() * static_cast<double>(batch);
  FreshRows rows(n, batch, session.options().seed);
  Products products(*data.matrix, {}, {}, session.team());
  const std::span weights(data.weights.data(), to_size(batch));
  const std::vector<double> b = random_values(n * count, 5, session.team());
  std::vector<double> x(data.x.size() * count, 0.5), g(x.size()), g1(data.x.size());
  const auto prepare = [&](Index calls) { rows.prepare(calls); };
  Race race("kernels", fmt::format("{} right-hand sides, B = {}", count, batch));
  race.add({"together", bytes, repeated(prepare, [&](Index i) {
              products.gradient(rows(i), weights, as_vectors(x, count), {b.data(), n, count, count},
                                as_vectors(g, count));
            })});
  race.add({"one after the other", bytes * count, repeated(prepare, [&](Index i) {
              for (Index c = 0; c < count; ++c)
                products.gradient(rows(i), weights, data.x_view(), data.b_view(),
                                  as_vectors(g1, 1));
            })});
  session.run(race, part);
  race.faster("together", "one after the other", "one after the other");
  session.keep(race);
}

// Steps that each need the last: one thread, rows in the order drawn.
void kaczmarz(Session& session) {
  constexpr Index steps = 2000;
  const Dense& data = session.dense();
  FreshRows rows(data.matrix->rows(), steps, session.options().seed, FreshRows::Order::any);
  const std::vector<double> sizes(to_size(steps), 0.01);
  std::vector<double> x = data.x;
  double sum = 0.0;
  const auto prepare = [&](Index calls) { rows.prepare(calls); };
  const auto per_step = [&](auto run) {
    return [=](Index calls) { return run((calls + steps - 1) / steps) / steps; };
  };
  Race race("kernels", "one Kaczmarz step");
  race.add({"rows only read, 1 thread", data.row_bytes(),
            per_step(repeated(prepare, [&](Index i) { sum += read_rows(data.A(), rows(i)); }))});
  race.add({"Kaczmarz", data.row_bytes(), per_step(repeated(prepare, [&](Index i) {
              data.matrix->kaczmarz(rows(i), sizes, 1.0, data.b_view(), as_vectors(x, 1));
            }))});
  session.run(race, part);
  race.share("Kaczmarz", "rows only read, 1 thread", "of rows only read");
  session.keep(race);
}

// AᵀA, Aᵀb and bᵀb in one read; the peers do AᵀA only.
void gram_matrix(Session& session) {
  const Dense& data = session.dense();
  const auto n = static_cast<double>(data.matrix->rows());
  const auto d = static_cast<double>(data.matrix->cols());
  std::vector<double> H;
  Race race("kernels", "Gram matrix");
  const auto one = [](Index) { return 1.0; };
  race.add({"polyak", data.matrix->bytes(), repeated(nothing, [&](Index) {
              H = gram(*data.matrix, one, session.team(), data.b_view());
            })});
  race.add({"polyak, 1 thread", data.matrix->bytes(), repeated(nothing, [&](Index) {
              H = gram(*data.matrix, one, session.single(), data.b_view());
            })});
  const auto blas = repeated(nothing, [&](Index) { blas_gram(data.A(), H); });
  race.add({"OpenBLAS dsyrk", data.matrix->bytes(), [&, blas](Index calls) {
              const BlasThreads threads(session.team().size());
              const double seconds = blas(calls);
              settle();
              return seconds;
            }});
  session.add_peer(race, "NumPy A.T @ A", "gram");
  session.run(race, 2 * part);
  for (const char* name : {"polyak", "polyak, 1 thread", "OpenBLAS dsyrk", "NumPy A.T @ A"})
    race.pace_of(name, 1e-9 * n * d * (d + 1.0), "GF/s");
  race.faster("polyak", "NumPy A.T @ A", "NumPy");
  race.faster("polyak", "OpenBLAS dsyrk", "OpenBLAS");
  race.faster("polyak", "polyak, 1 thread", "1 thread");
  session.keep(race);
}

}  // namespace

void measure_whole_matrix(Session& session) {
  full_gradient(session);
  several_right_hand_sides(session);
  kaczmarz(session);
  gram_matrix(session);
}

}  // namespace polyak::bench
