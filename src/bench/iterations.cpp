#include <fmt/format.h>

#include <algorithm>

#include "bench/paper_problem.hpp"
#include "sampling/batch_drawer.hpp"
#include "solve/engine.hpp"

// Whole iterations, and where their time goes.

namespace polyak::bench {
namespace {

// One method on one problem, going on from call to call.
class Running {
 public:
  Running(const Problem& problem, const SolveOptions& options)
      : engine(problem, options), method_(engine.start(0)) {}
  void advance(Index steps) {
    method_->advance(k_, k_ + steps);
    k_ += steps;
  }
  Engine engine;

 private:
  std::unique_ptr<Method> method_;
  Index k_ = 0;
};

const auto nothing = [](Index) {};

void batch_iterations(Session& session, const Problem& problem, Index batch,
                      const std::string& label, double part) {
  Running running(problem, paper_options(session, "minibatch-hbm", batch));
  BatchDrawer drawer(*running.engine.plan().sampler, batch, {}, session.team());
  const Random random(session.options().seed, 99);
  Index k = 0;
  Race race("iterations", fmt::format("one Minibatch-HBM iteration, B = {}{}", batch, label));
  const double bytes = 8.0 * static_cast<double>(batch * problem.cols());
  race.add({"polyak", bytes, repeated(nothing, [&](Index) { running.advance(1); })});
  race.add(
      {"polyak, sampling alone", 0.0, repeated(nothing, [&](Index) { drawer.draw(random, k++); })});
  session.add_peer(race, "NumPy, cached CDF", fmt::format("iteration {}", batch));
  session.run(race, part);
  race.faster("polyak", "NumPy, cached CDF", "NumPy");
  race.part("polyak, sampling alone", "polyak", "of an iteration");
  session.keep(race);
}

// What is left when the row itself costs next to nothing.
void fixed_cost(Session& session, const Problem& problem, double part) {
  constexpr Index steps = 500;
  const Index d = problem.cols();
  Running batch_one(problem, paper_options(session, "minibatch-hbm", 1));
  Running kaczmarz(problem, paper_options(session, "rk"));
  FreshRows rows(problem.rows(), steps, session.options().seed, FreshRows::Order::any);
  const std::vector<double> sizes(to_size(steps), 1e-3);
  std::vector<double> x(to_size(d), 0.5), g(to_size(d));
  const View x_view{x.data(), 1, d, d}, g_view{g.data(), 1, d, d};
  const auto prepare = [&](Index calls) { rows.prepare(calls); };
  const auto per_step = [](auto run) {
    return [run](Index calls) { return run((calls + steps - 1) / steps) / steps; };
  };
  Race race("iterations", "one iteration of one row, B = 1");
  const double bytes = 8.0 * static_cast<double>(d);
  race.add({"row's own cost, gradient", bytes, per_step(repeated(prepare, [&](Index i) {
              for (const Index& row : rows(i))
                problem.A().gradient({&row, 1}, {sizes.data(), 1}, {}, x_view, problem.b(), g_view);
            }))});
  race.add({"Minibatch-HBM, B = 1", bytes,
            per_step(repeated(nothing, [&](Index) { batch_one.advance(steps); }))});
  race.add({"row's own cost, Kaczmarz", bytes, per_step(repeated(prepare, [&](Index i) {
              problem.A().kaczmarz(rows(i), sizes, 1.0, problem.b(), x_view);
            }))});
  race.add({"randomized Kaczmarz", bytes,
            per_step(repeated(nothing, [&](Index) { kaczmarz.advance(steps); }))});
  session.run(race, part);
  race.above("Minibatch-HBM, B = 1", "row's own cost, gradient", "above the row's own");
  race.above("randomized Kaczmarz", "row's own cost, Kaczmarz", "above the row's own");
  session.keep(race);
}

}  // namespace

void measure_iterations(Session& session) {
  const Problem problem = paper_problem(session);
  const Index star = std::min(paper_batch(problem), problem.rows());
  batch_iterations(session, problem, std::min<Index>(1000, star), "", 0.15);
  for (const auto& [over, label] : {std::pair{100, " (0.01 B*)"}, {10, " (0.1 B*)"}, {1, " (B*)"}})
    batch_iterations(session, problem, std::max<Index>(1, star / over), label, 0.15);
  fixed_cost(session, problem, 0.1);
  measure_solves(session, problem);
}

}  // namespace polyak::bench
