#include <fmt/format.h>

#include <algorithm>

#include "bench/contenders.hpp"
#include "bench/session.hpp"
#include "sampling/batches.hpp"
#include "solve/run/setup.hpp"

// Sampling: sorted batches by row norms, with their weights; ns per draw.

// Iterations: whole iterations, and the parts of their time.

// Replicates: many runs of one configuration, separately or at once in one sweep over the
// rows. One call is a step of all runs.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

class SamplingRace {
 public:
  SamplingRace(Session& session, std::span<const double> weights, const Sampler& sampler,
               Index batch)
      : session_(session),
        sampler_(sampler),
        search_(weights),
        alias_(weights),
        random_(session.options().seed, stream::sampling),
        rows_(to_size(batch)),
        race_("sampling", fmt::format("one draw of a sorted batch, B = {}", batch)) {}

  void run(double fraction) {
    add_drawer("polyak", session_.team());
    add_drawer("polyak, 1 thread", session_.single());
    add("alias table, std::sort", [this](Index) { alias_.draw(generator_, rows_); });
    add("binary search, std::sort", [this](Index) { search_.draw(generator_, rows_); });
    add("polyak, in the order drawn", [this](Index) {
      sampler_.draw_sequence(random_, k_, rows_);
      k_ += std::ssize(rows_);
    });
    session_.run(race_, fraction);
    race_.faster("polyak", "alias table, std::sort", "alias");
    race_.faster("polyak", "binary search, std::sort", "binary search");
    race_.faster("polyak", "polyak, 1 thread", "1 thread");
    session_.keep(race_);
  }

 private:
  template <class Call>
  void add(const std::string& name, Call call) {
    const Index batch = std::ssize(rows_);
    const auto run = repeated([](Index) {}, call);
    race_.add({name, 0.0, [run, batch](Index draws) {
                 return run((draws + batch - 1) / batch) / static_cast<double>(batch);
               }});
  }

  void add_drawer(const std::string& name, ThreadTeam& team) {
    const auto drawer =
        std::make_shared<BatchDrawer>(sampler_, std::ssize(rows_), std::span<const double>{}, team);
    add(name, [this, drawer](Index) { drawer->draw(random_, k_++); });
  }

  Session& session_;
  const Sampler& sampler_;
  SearchSampler search_;
  AliasSampler alias_;
  Random random_;
  std::mt19937_64 generator_{1};
  std::vector<Index> rows_;
  Race race_;
  Index k_ = 0;
};

// One method on one problem, continued from call to call.
class Running {
 public:
  Running(const Problem& problem, const SolveOptions& options)
      : setup(problem, options), method_(setup.start(0)) {}
  void advance(Index steps) {
    method_->advance(k_, k_ + steps);
    k_ += steps;
  }
  SolveSetup setup;

 private:
  std::unique_ptr<Method> method_;
  Index k_ = 0;
};

void batch_iterations(Session& session, const Problem& problem, Index batch,
                      const std::string& label, double fraction) {
  Running running(problem, paper_options(session, "minibatch-hbm", batch));
  BatchWindow batches(*running.setup.plan().sampler, batch, {}, session.team(),
                      Random(session.options().seed, 99));  // as the method draws them
  Index k = 0;
  Race race("iterations", fmt::format("one Minibatch-HBM iteration, B = {}{}", batch, label));
  const double bytes = 8.0 * static_cast<double>(batch * problem.cols());
  race.add({"polyak", bytes, repeated(nothing, [&](Index) { running.advance(1); })});
  race.add({"polyak, sampling alone", 0.0, repeated(nothing, [&](Index) { batches.at(k++); })});
  session.add_peer(race, "NumPy, cached CDF", fmt::format("iteration {}", batch));
  session.run(race, fraction);
  race.faster("polyak", "NumPy, cached CDF", "NumPy");
  race.part("polyak, sampling alone", "polyak", "of an iteration");
  session.keep(race);
}

// The cost of an iteration without that of its row.
void fixed_cost(Session& session, const Problem& problem, double fraction) {
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
  session.run(race, fraction);
  race.above("Minibatch-HBM, B = 1", "row's own cost, gradient", "above the row's own");
  race.above("randomized Kaczmarz", "row's own cost, Kaczmarz", "above the row's own");
  session.keep(race);
}

class Group {
 public:
  Group(SolveSetup& setup, Index runs, bool shared) {
    const Index at_once = shared ? runs : 1;
    for (Index r = 0; r < runs; r += at_once)
      methods_.push_back(setup.start(static_cast<std::uint64_t>(r), at_once));
  }
  void step() {
    for (auto& method : methods_) method->advance(k_, k_ + 1);
    ++k_;
  }

 private:
  std::vector<std::unique_ptr<Method>> methods_;
  Index k_ = 0;
};

void one_batch(Session& session, const Problem& problem, Index batch, double fraction) {
  const Index runs = session.options().quick ? 5 : 100;
  SolveSetup setup(problem, paper_options(session, "minibatch-hbm", batch));
  Race race("replicates", fmt::format("a step of {} replicates, B = {}", runs, batch));
  const double bytes = 8.0 * static_cast<double>(runs * batch * problem.cols());
  for (const bool shared : {false, true}) {
    const auto group = std::make_shared<Group>(setup, runs, shared);
    race.add({shared ? "block-shared" : "separate runs", bytes,
              repeated([](Index) {}, [group](Index) { group->step(); })});
  }
  session.run(race, fraction);
  race.faster("block-shared", "separate runs", "separate runs");
  session.keep(race);
}

}  // namespace

void measure_sampling(Session& session) {
  // Weights as uneven as squared norms: squares of uniform numbers.
  std::vector<double> weights = random_values(session.options().rows, 21, session.team());
  for (double& w : weights) w = w * w + 1e-3;
  const Sampler sampler(weights);
  const std::vector<Index> batches = session.batches({100, 1000, 10'000, 100'000});
  for (const Index batch : batches)
    SamplingRace(session, weights, sampler, batch).run(1.0 / static_cast<double>(batches.size()));
}

void measure_iterations(Session& session) {
  const Problem problem = paper_problem(session);
  const Index star = std::min(paper_batch(problem), problem.rows());
  batch_iterations(session, problem, std::min<Index>(1000, star), "", 0.15);
  for (const auto& [over, label] : {std::pair{100, " (0.01 B*)"}, {10, " (0.1 B*)"}, {1, " (B*)"}})
    batch_iterations(session, problem, std::max<Index>(1, star / over), label, 0.15);
  fixed_cost(session, problem, 0.1);
  measure_solves(session, problem);
}

void measure_replicates(Session& session) {
  const Problem problem = paper_problem(session);
  const std::vector<Index> batches = session.batches({1000, 10'000, 100'000, 400'000});
  for (const Index batch : batches)
    one_batch(session, problem, batch, 1.0 / static_cast<double>(batches.size()));
}

}  // namespace polyak::bench::internal
