// Why a run stops, and what it then returns.

#include <cmath>
#include <limits>

#include "support/problems.hpp"

namespace polyak::test {
namespace {

Problem inconsistent() {
  const Rows A = random(2000, 10, 3);
  return Problem(data(A, A * random(10, 1, 4) + 0.3 * random(2000, 1, 5)));
}

TEST(divergence, is_caught_and_the_best_finite_iterate_is_kept) {
  for (const char* method :
       {"gd", "hbm", "nag", "sgd", "minibatch-sgd", "minibatch-hbm", "minibatch-nag"}) {
    SolveOptions options = ample(method);
    options.step_size = 50.0;
    const Report report = solve(Problem(consistent()), options);
    EXPECT_EQ(report.status, Status::diverged) << method << ": " << report.reason;
    EXPECT_TRUE(solution(report).allFinite()) << method;
    EXPECT_NE(report.reason.find("step_size"), std::string::npos) << report.reason;
    EXPECT_LE(*report.error, 1.0) << method << " returned something worse than its start";
    for (const Measurement& m : report.history) EXPECT_TRUE(std::isfinite(m.gradient_norm));
  }
}

TEST(divergence, of_a_batch_too_small_for_its_momentum_names_the_batch) {
  SolveOptions options = ample("minibatch-hbm");
  options.batch_size = 2;
  options.parameters = "paper";
  const Report report = solve(Problem(consistent(2000, 20)), options);
  EXPECT_EQ(report.status, Status::diverged);
  EXPECT_NE(report.reason.find("larger batch,"), std::string::npos) << report.reason;
}

TEST(inconsistent_data, end_minibatch_runs_at_a_named_horizon_never_converged) {
  const Problem problem = inconsistent();
  for (const char* method : {"sgd", "rk", "minibatch-sgd", "minibatch-hbm", "minibatch-nag"}) {
    const Report report = solve(problem, ample(method));
    EXPECT_EQ(report.status, Status::stagnated) << method << ": " << report.reason;
    EXPECT_NE(report.reason.find("convergence horizon"), std::string::npos) << report.reason;
    EXPECT_LT(report.passes, 5000.0) << method;
  }
}

// A blur of 200 columns, which conjugate gradients do not resolve, with noise.
Problem blurred() {
  Rows A(400, 200);
  for (Index i = 0; i < 400; ++i)
    for (Index j = 0; j < 200; ++j) {
      const double t = static_cast<double>(i) / 399.0 - static_cast<double>(j) / 199.0;
      A(i, j) = std::exp(-200.0 * t * t);
    }
  return Problem(data(A, A * random(200, 1, 6).cwiseMax(0.0) + 1e-6 * random(400, 1, 7)));
}

TEST(stagnation, with_bounds_names_methods_that_take_bounds) {
  const auto expect_advice = [](const Problem& free, const std::string& method) {
    ProblemData parts = free.data();
    parts.lower = {0.0};
    const Report report = solve(Problem(parts), ample(method));
    EXPECT_EQ(report.status, Status::stagnated) << method << ": " << report.reason;
    EXPECT_NE(report.reason.find("active-set"), std::string::npos) << report.reason;
    EXPECT_EQ(report.reason.find("lsqr"), std::string::npos) << report.reason;
  };
  expect_advice(blurred(), "bounded-cg");
  expect_advice(inconsistent(), "rk");
}

TEST(inconsistent_data, are_solved_by_deterministic_methods) {
  const Problem problem = inconsistent();
  for (const char* method : {"gd", "hbm", "nag", "cgls", "lsqr", "direct"}) {
    const Report report = solve(problem, with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE(*report.relative_gradient, 1e-8);
    EXPECT_GT(*report.relative_residual, 0.05);
  }
}

// Each costs a read of A, as an iteration of cg does.
TEST(measurements, that_cannot_succeed_are_left_out_where_the_method_knows) {
  const Problem fitting(consistent()), noisy = inconsistent();
  for (const char* method : {"cg", "cgls"}) {
    for (const Problem* problem : {&fitting, &noisy}) {
      SolveOptions every = ample(method);
      every.tol = 1e-10;
      every.measure_every_iterations = 1;
      const Report all = solve(*problem, every);
      SolveOptions some = every;
      some.measure_every_iterations.reset();
      const Report few = solve(*problem, some);
      EXPECT_EQ(all.status, Status::converged) << all.reason;
      EXPECT_EQ(few.status, Status::converged) << few.reason;
      EXPECT_LT(2 * few.history.size(), all.history.size()) << method;
      EXPECT_LE(few.iterations, all.iterations + all.iterations / 4 + 1) << method;
    }
  }
}

TEST(tolerance, means_the_same_for_every_method) {
  const Problem consistent_problem(consistent()), noisy = inconsistent();
  for (const MethodInfo& info : method_table()) {
    for (const Problem* problem : {&consistent_problem, &noisy}) {
      SolveOptions options = ample(info.name);
      options.tol = 1e-6;
      const Report report = solve(*problem, options);
      if (report.status != Status::converged) continue;
      const double frobenius = std::sqrt(*report.used.frobenius2);
      const Rows x = solution(report);
      const double b = problem == &noisy ? *report.residual_norm / *report.relative_residual
                                         : *report.residual_norm / *report.relative_residual;
      const bool fits = *report.residual_norm <= 1e-6 * (frobenius * x.norm() + b) * (1 + 1e-9);
      const bool optimal =
          *report.gradient_norm <= 1e-6 * frobenius * *report.residual_norm * (1 + 1e-9);
      EXPECT_TRUE(fits || optimal) << info.name;
    }
  }
}

TEST(limits, of_passes_and_time_are_honoured_and_named) {
  SolveOptions options = ample("minibatch-hbm");
  options.tol = 0.0;
  options.max_passes = 20;
  Report report = solve(Problem(consistent()), options);
  EXPECT_EQ(report.status, Status::limit);
  EXPECT_EQ(report.reason, "limit of 20 passes reached");
  EXPECT_LE(report.passes, 20.0);
  EXPECT_GT(report.passes, 18.0);
  options.max_passes.reset();
  options.time_limit_s = 0.05;
  report = solve(inconsistent(), options);
  EXPECT_EQ(report.status, Status::limit);
  EXPECT_EQ(report.reason, "time limit of 0.05 s reached");
}

TEST(limits, exist_even_when_none_is_given) {
  SolveOptions options = with_method("rk");
  options.tol = 0.0;
  const Report report = solve(Problem(inconsistent()), options);
  EXPECT_EQ(report.status, Status::limit) << report.reason;
}

struct StopAt : Observer {
  explicit StopAt(Index iteration) : at(iteration) {}
  void progress(Index iteration, Index) override { seen = iteration; }
  void measured(const Measurement&) override { ++measurements; }
  bool stop_requested() override { return seen >= at; }
  Index at, seen = 0, measurements = 0;
};

TEST(observers, see_every_measurement_and_can_stop_the_run) {
  SolveOptions options = ample("minibatch-hbm");
  options.tol = 0.0;
  options.max_iterations = 1'000'000;
  StopAt observer(50);
  const Report report = solve(Problem(consistent()), options, &observer);
  EXPECT_EQ(report.status, Status::interrupted);
  EXPECT_GE(report.iterations, 50);
  EXPECT_LT(report.iterations, 200);
  EXPECT_EQ(observer.measurements, std::ssize(report.history));
  EXPECT_TRUE(solution(report).allFinite());
}

TEST(history, starts_at_iteration_zero_and_follows_the_asked_interval) {
  SolveOptions options = ample("hbm");
  options.tol = 0.0;
  options.max_iterations = 20;
  options.measure_every_iterations = 5;
  const Report report = solve(Problem(consistent()), options);
  ASSERT_EQ(report.history.size(), 5u);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(report.history[to_size(i)].iteration, 5 * i);
  EXPECT_DOUBLE_EQ(*report.history[0].error, 1.0);
  EXPECT_DOUBLE_EQ(*report.history[0].relative_residual, 1.0);
}

TEST(measuring, is_scarce_beside_the_work_of_a_long_run) {
  SolveOptions options = with_method("gd");
  options.tol = 1e-12;
  const Report report = solve(Problem(consistent()), options);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(report.measured_row_products, report.row_products / 3);
}

TEST(direct, never_claims_a_tolerance_it_missed) {
  SolveOptions options = with_method("direct");
  options.tol = 1e-30;
  const Report report = solve(inconsistent(), options);
  EXPECT_EQ(report.status, Status::stagnated);
  EXPECT_NE(report.reason.find("rounding"), std::string::npos);
}

TEST(the_rule_that_ended_a_run, is_in_the_report) {
  const auto rule = [](const Problem& problem, SolveOptions options) {
    const Report report = solve(problem, options);
    EXPECT_TRUE(report.stopped_by.has_value()) << report.reason;
    return report.stopped_by.value_or(StoppedBy::request);
  };
  const Problem good(consistent()), noisy = inconsistent();
  EXPECT_EQ(rule(good, ample("lsqr")), StoppedBy::residual);
  EXPECT_EQ(rule(noisy, ample("lsqr")), StoppedBy::gradient);
  EXPECT_EQ(rule(noisy, ample("minibatch-hbm")), StoppedBy::plateau);
  SolveOptions limited = ample("gd");
  limited.tol = 0.0;
  limited.max_iterations = 3;
  EXPECT_EQ(rule(good, limited), StoppedBy::iterations);
  limited.max_iterations.reset();
  limited.max_passes = 2.0;
  EXPECT_EQ(rule(good, limited), StoppedBy::passes);
  limited.max_passes.reset();
  limited.time_limit_s = 0.0;
  EXPECT_EQ(rule(good, limited), StoppedBy::seconds);
  SolveOptions wild = ample("gd");
  wild.step_size = 50.0;
  EXPECT_EQ(rule(good, wild), StoppedBy::growth);
  EXPECT_EQ(rule(Problem(data(Rows::Zero(3, 2), Rows::Zero(3, 1))), ample("gd")),
            StoppedBy::no_entries);
}

TEST(the_rule_that_ended_a_run, has_a_name_that_is_found_again) {
  for (int i = 0; i <= static_cast<int>(StoppedBy::overflow); ++i) {
    const auto rule = static_cast<StoppedBy>(i);
    EXPECT_EQ(stopped_by_named(to_string(rule)), rule) << to_string(rule);
  }
  EXPECT_EQ(stopped_by_named("boredom"), std::nullopt);
}

}  // namespace
}  // namespace polyak::test
