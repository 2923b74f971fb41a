// Predictions before running, and whether the run then meets them.

#include "polyak/plan.hpp"

#include <cmath>

#include "polyak/replicates.hpp"
#include "polyak/theory.hpp"
#include "solve/plan/basis.hpp"
#include "solve/run/setup.hpp"
#include "spectrum/facts.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

ProblemData paper_problem(Index rows, Index cols, double kappa) {
  SpectrumProblem shape;
  shape.rows = rows;
  shape.cols = cols;
  shape.decay = Decay::algebraic;
  shape.rho = 1.0;
  shape.kappa = kappa;
  const GeneratedProblem made = generate(shape, {.seed = 5, .noise = 0.0, .threads = 1});
  ProblemData out;
  out.A = made.A;
  out.b = made.b;
  out.reference = made.x_planted;
  return out;
}

// The root mean square error of 100 runs stays within 25 % of the predicted
// curve down to 1e-6 (100 runs leave a standard error of about 7 % at tuned
// parameters).
TEST(predicted_curves, are_met_by_the_mean_square_of_many_runs) {
  const ProblemData parts = paper_problem(8000, 20, 100.0);
  const Problem problem(parts);
  for (Index batch : {60, 600}) {
    SolveOptions options = with_method("minibatch-hbm");
    options.batch_size = batch;
    SolveSetup setup(problem, options);
    ThreadTeam team(1);
    const Extremes found = exact_extremes(problem, setup.facts(), team, true);
    const Forecast forecast(problem, setup.facts(), found, *setup.plan().sampler,
                            setup.facts().frobenius2, Range{}, team, 0);
    const auto p =
        theory::Parameters::of(*setup.plan().used.step_size, *setup.plan().used.momentum);
    const Eigen::Map<const Rows> V(found.vectors.data(), 20, 20);
    const Eigen::Map<const Eigen::VectorXd> x(problem.reference().data, 20);
    const Eigen::VectorXd components = -(V * x);
    const theory::Start start{{components.data(), components.data() + 20}, 0.0};
    const auto ms = theory::mean_square_trajectory(forecast.model(), theory::Method::heavy_ball, p,
                                                   static_cast<double>(batch), start, 400);
    const Replicates runs = run_replicates(problem, options, 100, 400, 10);
    int compared = 0;
    for (std::size_t m = 1; m < runs.iterations.size(); ++m) {
      const double predicted = std::sqrt(ms[to_size(runs.iterations[m])] / ms[0]);
      if (predicted < 1e-6) break;
      double sum = 0.0;
      for (const auto& errors : runs.errors) sum += errors[m] * errors[m];
      EXPECT_NEAR(std::sqrt(sum / 100.0) / predicted, 1.0, 0.25)
          << "batch " << batch << ", k = " << runs.iterations[m];
      ++compared;
    }
    EXPECT_GE(compared, 8);
  }
}

TEST(predicted_divergence, of_the_papers_parameters_at_a_small_batch_comes_true) {
  const Problem problem(paper_problem(8000, 20, 100.0));
  SolveOptions options = with_method("minibatch-hbm");
  options.parameters = "paper";
  options.batch_size = 40;
  const Report report = solve(problem, options);
  EXPECT_GT(*report.used.predicted_rate, 1.0);
  EXPECT_EQ(report.status, Status::diverged) << report.reason;
  options.parameters = "tuned";
  EXPECT_EQ(solve(problem, options).status, Status::converged);
}

TEST(reports, carry_the_predicted_rate_beside_the_measured_one) {
  const Problem problem(paper_problem(8000, 20, 30.0));
  SolveOptions options = with_method("minibatch-hbm");
  options.measure_every_iterations = 20;
  options.tol = 1e-10;
  const Report report = solve(problem, options);
  ASSERT_EQ(report.status, Status::converged) << report.reason;
  ASSERT_TRUE(report.used.predicted_rate && report.measured_rate);
  EXPECT_EQ(report.used.predicted_rate_kind->substr(0, 5), "model");
  // One run scatters around the mean: a fifth of the exponent.
  EXPECT_NEAR(std::log(*report.measured_rate) / std::log(*report.used.predicted_rate), 1.0, 0.2);
}

TEST(plans, predict_the_rows_that_the_recommended_run_needs) {
  for (double kappa : {10.0, 100.0}) {
    for (const char* sampling : {"row-norm", "uniform"}) {
      const ProblemData parts = paper_problem(20000, 20, kappa);
      SolveOptions options = with_method("auto");
      options.sampling = sampling;
      const PlanReport plan = make_plan_report(parts.A, parts.b, options);
      EXPECT_NEAR(plan.kappa, kappa, 1e-8 * kappa);
      const PlanRow* minibatch = nullptr;
      for (const PlanRow& row : plan.table)
        if (row.method == "minibatch-hbm" && row.note.empty() && !minibatch) minibatch = &row;
      ASSERT_TRUE(minibatch && minibatch->row_products);
      EXPECT_LT(*minibatch->stability_number, 0.92);
      options.method = "minibatch-hbm";
      options.batch_size = minibatch->batch;
      const Report report = solve(Problem(parts), options);
      EXPECT_EQ(report.status, Status::converged) << report.reason;
      const double ratio = static_cast<double>(report.row_products) / *minibatch->row_products;
      EXPECT_LT(ratio, 1.5) << kappa << " " << sampling;
      EXPECT_GT(ratio, 1.0 / 1.5) << kappa << " " << sampling;
    }
  }
}

TEST(plans, name_inconsistent_data_and_do_not_promise_what_sampling_cannot_reach) {
  ProblemData parts = paper_problem(2000, 10, 10.0);
  std::vector<double> b(parts.b.view().data, parts.b.view().data + 2000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += (i % 2 ? 0.01 : -0.01);
  const PlanReport plan = make_plan_report(parts.A, Array(b, 2000), with_method("auto"));
  ASSERT_FALSE(plan.remarks.empty());
  EXPECT_NE(plan.remarks.back().find("inconsistent"), std::string::npos);
  for (const PlanRow& row : plan.table)
    EXPECT_NE(find_method(row.method)->sampled, row.row_products.has_value()) << row.method;
  EXPECT_FALSE(find_method(plan.table[plan.recommended].method)->sampled);
  EXPECT_EQ(nlohmann::json::parse(to_json(plan))["rows"], 2000);
}

const PlanRow& row_of(const PlanReport& plan, const std::string& method) {
  for (const PlanRow& row : plan.table)
    if (row.method == method) return row;
  throw std::runtime_error("the plan has no " + method);
}

// "proved" is a bound, with eigenvectors (30 columns) and without (300): whatever the noise.
TEST(plans, prove_iterations_that_runs_do_not_exceed) {
  for (const Index cols : {30, 300})
    for (const double noise : {0.0, 1e-3, 1.0}) {
      const Rows A = random(2000, cols, 51);
      const ProblemData parts = data(A, A * random(cols, 1, 52) + noise * random(2000, 1, 53));
      const PlanReport plan = make_plan_report(parts.A, parts.b, with_method("auto"));
      ASSERT_TRUE(plan.relative_residual);
      for (const char* method : {"hbm", "nag"}) {
        const PlanRow& row = row_of(plan, method);
        EXPECT_EQ(row.kind, "proved") << method;
        SolveOptions options = with_method(method);
        options.measure_every_iterations = 1;
        const Report report = solve(Problem(parts), options);
        EXPECT_EQ(report.status, Status::converged) << report.reason;
        EXPECT_LE(static_cast<double>(report.iterations), *row.iterations)
            << method << cols << noise;
        EXPECT_GE(static_cast<double>(report.iterations), 0.4 * *row.iterations)
            << method << cols << noise;
      }
    }
}

TEST(plans, foresee_conjugate_gradients_by_the_spectrum_and_b) {
  for (const double noise : {0.0, 1.0}) {
    Rows A = random(3000, 60, 54);
    for (Index j = 0; j < 60; ++j) A.col(j) *= 1.0 + 0.05 * static_cast<double>(j);
    const ProblemData parts = data(A, A * random(60, 1, 55) + noise * random(3000, 1, 56));
    const PlanRow row = row_of(make_plan_report(parts.A, parts.b, with_method("auto")), "lsqr");
    EXPECT_TRUE(row.kind.starts_with("model")) << row.kind;
    SolveOptions options = with_method("lsqr");
    options.measure_every_iterations = 1;
    const double took = static_cast<double>(solve(Problem(parts), options).iterations);
    EXPECT_NEAR(took, *row.iterations, 0.25 * *row.iterations + 1.0) << noise;
  }
}

// Beyond 256 columns there are no eigenvectors, and b is fitted all the same.
TEST(plans, see_noise_beyond_the_columns_they_have_eigenvectors_of) {
  const Rows A = random(1500, 300, 57);
  const ProblemData parts = data(A, A * random(300, 1, 58) + 1e-3 * random(1500, 1, 59));
  const PlanReport plan = make_plan_report(parts.A, parts.b, with_method("auto"));
  EXPECT_EQ(row_of(plan, "rk").note, "stops at its convergence horizon");
  EXPECT_FALSE(find_method(plan.table[plan.recommended].method)->sampled);
}

// What is told of scaled columns holds for solve told nothing, and says so.
TEST(plans, of_columns_in_other_units_tell_what_solve_does_with_them) {
  Rows A = random(4000, 20, 60);
  A.col(3) *= 1e6;
  A.col(7) *= 1e-5;
  const ProblemData parts = data(A, A * random(20, 1, 61));
  const PlanReport plan = make_plan_report(parts.A, parts.b, with_method("auto"));
  EXPECT_NE(plan.remarks.front().find("scales them"), std::string::npos);
  EXPECT_LT(plan.kappa, 10.0);
  for (const PlanRow& row : plan.table) {
    EXPECT_EQ(row.note.find("paper"), std::string::npos);
    if (row.method != "minibatch-hbm") continue;
    SolveOptions options = with_method(row.method);
    options.batch_size = row.batch;
    const Report report = solve(Problem(parts), options);
    EXPECT_EQ(report.status, Status::converged) << *row.batch << ": " << report.reason;
    EXPECT_LE(static_cast<double>(report.iterations), 3.0 * *row.iterations) << *row.batch;
  }
}

TEST(plans, of_a_zero_matrix_say_so) {
  const PlanReport plan = make_plan_report(matrix(Rows::Zero(5, 3)), {}, with_method("auto"));
  EXPECT_TRUE(plan.table.empty());
  ASSERT_EQ(plan.remarks.size(), 1u);
}

TEST(duplicate_rows, are_counted_and_zero_rows_are_not) {
  Rows A = random(50, 4, 3);
  A.row(7) = A.row(3);
  A.row(9) = A.row(3);
  A.row(20).setZero();
  A.row(21).setZero();
  ThreadTeam team(2);
  EXPECT_EQ(count_duplicate_rows(*matrix(A), team), 2);
}

TEST(the_automatic_batch, is_the_same_for_any_number_of_threads) {
  const Problem problem(paper_problem(8000, 20, 100.0));
  SolveOptions options = with_method("minibatch-hbm");
  const Report one = solve(problem, options);
  options.threads = 3;
  const Report three = solve(problem, options);
  EXPECT_EQ(*one.used.batch, *three.used.batch);
  EXPECT_EQ(solution(one), solution(three));
}

}  // namespace
}  // namespace polyak::test
