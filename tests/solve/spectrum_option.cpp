// --spectrum: where the ends of the spectrum come from, what the report says of
// it, and that runs which rest on estimates converge.

#include <algorithm>

#include "polyak/plan.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test {
namespace {

SolveOptions with_spectrum_by(const std::string& method, const std::string& spectrum) {
  SolveOptions options = with_method(method);
  options.spectrum = spectrum;
  return options;
}

void expect_bars(const std::vector<double>& range, double truth) {
  ASSERT_EQ(range.size(), 2u);
  EXPECT_LE(range[0], truth * (1.0 + 1e-9));
  EXPECT_GE(range[1], truth * (1.0 - 1e-9));
}

TEST(a_sketched_spectrum, serves_every_method_that_wants_one) {
  const ProblemData parts = consistent(3000, 30);
  for (const MethodInfo& method : method_table()) {
    if (!(method.traits & trait::lambda_min)) continue;
    const Report exact = solve(Problem(parts), with_spectrum_by(method.name, "exact"));
    const Report report = solve(Problem(parts), with_spectrum_by(method.name, "sketch"));
    EXPECT_EQ(report.status, Status::converged) << method.name << ": " << report.reason;
    EXPECT_EQ(report.used.lambda_min_source, "sketch of 4096 rows, probability 0.999");
    EXPECT_EQ(report.used.rank, 30);
    expect_bars(report.used.lambda_min_range, *exact.used.lambda_min);
    if (method.traits & trait::lambda_max) {
      expect_bars(report.used.lambda_max_range, *exact.used.lambda_max);
      EXPECT_EQ(report.used.lambda_max, report.used.lambda_max_range[1]);
    }
    EXPECT_TRUE(exact.used.lambda_min_range.empty()) << method.name;
    // kappa is 10; bars of 4096 rows cost less than half as much again.
    EXPECT_LT(static_cast<double>(report.row_products),
              1.5 * static_cast<double>(exact.row_products) + 3000.0)
        << method.name;
  }
}

TEST(a_report, holds_the_error_bars_and_calls_rates_from_them_estimates) {
  const Problem problem(consistent(3000, 30));
  const Report report = solve(problem, with_spectrum_by("hbm", "sketch"));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["asked"]["spectrum"], "sketch");
  EXPECT_EQ(json["used"]["lambda_min_range"].size(), 2u);
  EXPECT_EQ(json["used"]["lambda_max_range"][1], json["used"]["lambda_max"]);
  EXPECT_EQ(json["used"]["predicted_rate_kind"], "estimate: from the estimated spectrum");
  const auto exact = nlohmann::json::parse(to_json(solve(problem, with_method("hbm"))));
  EXPECT_FALSE(exact["used"].contains("lambda_min_range"));
  EXPECT_EQ(exact["used"]["predicted_rate_kind"], "proved");
}

TEST(an_end_that_is_given, has_no_error_bars) {
  SolveOptions options = with_spectrum_by("hbm", "sketch");
  options.lambda_min = 0.5;
  const Report report = solve(Problem(consistent(3000, 30)), options);
  EXPECT_EQ(report.used.lambda_min_source, "given");
  EXPECT_TRUE(report.used.lambda_min_range.empty());
  EXPECT_EQ(report.used.lambda_max_range.size(), 2u);
}

TEST(the_option_spectrum, is_refused_where_nothing_would_come_of_it) {
  const Problem problem(consistent());
  EXPECT_THROW((void)solve(problem, with_spectrum_by("lsqr", "exact")), Error);
  SolveOptions options = with_spectrum_by("hbm", "exact");
  options.lambda_min = 1.0;
  options.lambda_max = 10.0;
  EXPECT_THROW((void)solve(problem, options), Error);
}

TEST(a_sketched_spectrum, is_lifted_by_the_ridge_and_starts_at_it_for_dependent_columns) {
  ProblemData parts = consistent(3000, 30);
  parts.ridge = 5.0;
  const Report report = solve(Problem(parts), with_spectrum_by("nag", "sketch"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  Rows A = random(2000, 12, 3);
  A.col(4) = A.col(7);
  ProblemData deficient = data(A, A * Rows::Ones(12, 1));
  deficient.ridge = 1.0;
  const Report lifted = solve(Problem(deficient), with_spectrum_by("hbm", "sketch"));
  EXPECT_EQ(lifted.status, Status::converged) << lifted.reason;
  EXPECT_EQ(lifted.used.rank, 11);
  const Rows expected = spd_solution(A.transpose() * A + Rows::Identity(12, 12),
                                     A.transpose() * A * Rows::Ones(12, 1));
  EXPECT_LE((solution(lifted) - expected).norm(), 1e-6 * expected.norm());
}

TEST(a_plan, shows_the_bars_of_a_sketch) {
  const ProblemData parts = consistent(3000, 30);
  const PlanReport exact = make_plan_report(parts.A, parts.b, with_method("auto"));
  const PlanReport plan = make_plan_report(parts.A, parts.b, with_spectrum_by("auto", "sketch"));
  expect_bars(plan.lambda_min_range, exact.lambda_min);
  expect_bars(plan.lambda_max_range, exact.lambda_max);
  EXPECT_EQ(plan.spectrum_source, "sketch of 4096 rows, probability 0.999");
  EXPECT_EQ(plan.rank, 30);
  const auto json = nlohmann::json::parse(to_json(plan));
  EXPECT_EQ(json["lambda_max_range"][1], json["lambda_max"]);
  EXPECT_FALSE(nlohmann::json::parse(to_json(exact)).contains("lambda_max_range"));
  for (const PlanRow& row : plan.table) EXPECT_FALSE(row.certified_rate) << row.method;
}

}  // namespace
}  // namespace polyak::test
