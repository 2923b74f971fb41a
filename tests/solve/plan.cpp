// Predictions before running, and whether the run then meets them.

#include "polyak/plan.hpp"

#include <cmath>

#include "polyak/replicates.hpp"
#include "polyak/theory.hpp"
#include "solve/engine.hpp"
#include "solve/forecast.hpp"
#include "spectrum/duplicates.hpp"
#include "support/problems.hpp"

namespace polyak::test {
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
    Engine engine(problem, options);
    ThreadTeam team(1);
    const Extremes found = exact_extremes(problem, engine.facts(), team, true);
    const Forecast forecast(problem, engine.facts(), found, *engine.plan().sampler,
                            engine.facts().frobenius2, Range{}, team, 0);
    const auto p = theory::Parameters::of(*engine.plan().used.step_size, *engine.plan().used.momentum);
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
