#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bench/contenders.hpp"
#include "bench/session.hpp"
#include "matrix/products.hpp"
#include "solve/run/setup.hpp"
#include "spectrum/gram.hpp"

// Kernels that read all rows in order, or one row at a time.

// Robustness: whole iterations on data that slow down careless code (denormal numbers, zeros,
// one row more than a power of two), compared with usual data.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

constexpr double fraction = 0.06;  // of the subject's time, for each race here

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
  session.run(race, fraction);
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
  session.run(race, fraction);
  race.faster("together", "one after the other", "one after the other");
  session.keep(race);
}

// Each step needs the previous one: one thread, rows in the order drawn.
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
  session.run(race, fraction);
  race.share("Kaczmarz", "rows only read, 1 thread", "of rows only read");
  session.keep(race);
}

// AᵀA, Aᵀb and bᵀb in one pass; the peers compute AᵀA only.
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
              wait_for_blas_threads();
              return seconds;
            }});
  session.add_peer(race, "NumPy A.T @ A", "gram");
  session.run(race, 2 * fraction);
  for (const char* name : {"polyak", "polyak, 1 thread", "OpenBLAS dsyrk", "NumPy A.T @ A"})
    race.pace_of(name, 1e-9 * n * d * (d + 1.0), "GF/s");
  race.faster("polyak", "NumPy A.T @ A", "NumPy");
  race.faster("polyak", "OpenBLAS dsyrk", "OpenBLAS");
  race.faster("polyak", "polyak, 1 thread", "1 thread");
  session.keep(race);
}

SolveOptions heavy_ball(const Session& session, Index batch, double step) {
  SolveOptions out;
  out.method = "minibatch-hbm";
  out.batch_size = batch;
  out.step_size = step;
  out.momentum = 0.5;
  out.threads = session.options().threads;
  return out;
}

// An endless run of one method.
class EndlessRun {
 public:
  EndlessRun(const Session& session, ConstView A, const std::vector<double>& b, double x0,
             Index batch, double size = 1.0)
      : problem_(parts(A, b, x0)),
        // A step of about 1/|A|_F², so that x hardly changes; finite if A is denormal.
        setup_(problem_,
               heavy_ball(session, batch,
                          std::min(1e300, 1.0 / static_cast<double>(A.size()) / size / size))),
        method_(setup_.start(0)) {}

  void advance() {
    method_->advance(k_, k_ + 1);
    ++k_;
  }

 private:
  static ProblemData parts(ConstView A, const std::vector<double>& b, double x0) {
    ProblemData out;
    out.A = dense_view(A);
    out.b = Array({b.data(), A.rows, 1, 1}, {});
    out.x0 = Array(std::vector<double>(to_size(A.cols), x0), A.cols);
    return out;
  }

  Problem problem_;
  SolveSetup setup_;
  std::unique_ptr<Method> method_;
  Index k_ = 0;
};

void measure_whole_matrix(Session& session) {
  full_gradient(session);
  several_right_hand_sides(session);
  kaczmarz(session);
  gram_matrix(session);
}

void measure_robustness(Session& session) {
  const Index d = session.options().cols;
  const auto power = static_cast<Index>(std::bit_ceil(to_size(session.options().rows)));
  const Index batch = std::min<Index>(10'000, power);
  session.show_step("making matrices with denormal numbers");
  const std::vector<double> A = random_values((power + 1) * d, 11, session.team());
  const std::vector<double> b = random_values(power + 1, 12, session.team());
  std::vector<double> tiny = A, tiny_b = b;
  constexpr double denormal = 1e-310;
  for (double& v : tiny) v *= denormal;
  for (double& v : tiny_b) v *= denormal;
  const ConstView usual{A.data(), power, d, d}, more{A.data(), power + 1, d, d};
  Race race("kernels", fmt::format("robustness: one iteration, n = {}, B = {}", power, batch));
  const auto add = [&](const std::string& name, auto running) {
    race.add({name, 8.0 * static_cast<double>(batch * d),
              repeated(nothing, [running](Index) { running->advance(); })});
  };
  add("usual", std::make_shared<EndlessRun>(session, usual, b, 0.5, batch));
  add("x0 = 0", std::make_shared<EndlessRun>(session, usual, b, 0.0, batch));
  add("x0 denormal", std::make_shared<EndlessRun>(session, usual, tiny_b, denormal, batch));
  add("A denormal", std::make_shared<EndlessRun>(session, ConstView{tiny.data(), power, d, d}, b,
                                                 0.5, batch, denormal));
  add("one row more", std::make_shared<EndlessRun>(session, more, b, 0.5, batch));
  session.run(race, 0.06);
  for (const char* name : {"x0 = 0", "x0 denormal", "A denormal", "one row more"})
    race.part(name, "usual", "of the usual time");
  session.keep(race);
}

}  // namespace

void measure_kernels(Session& session) {
  measure_gradients(session);
  measure_whole_matrix(session);
  session.forget_dense();
  measure_sparse(session);
  measure_robustness(session);
}

}  // namespace polyak::bench::internal
