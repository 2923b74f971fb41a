// A new method is one record: registered from outside the library it is listed, planned,
// solved with, budgeted and chosen by auto like those of the table.

#include <gtest/gtest.h>

#include <algorithm>

#include "method/record.hpp"
#include "polyak/automatic_plan.hpp"
#include "polyak/memory.hpp"
#include "solve/run/setup.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

bool proposes = false;  // only in the test about auto

theory::internal::StepAndMomentum cautious_step(const PlanInputs& in) {
  return {1.0 / in.lambda_max, 0.0};
}

double rate(const PlanInputs& in, const ChosenParameters& p) {
  return 1.0 - p.step_size * in.lambda_min;
}

double memory(const WorkingMemory& m) { return 1e6 * m.c(); }

const MethodRecord& cautious_descent();

Proposal propose_first(const CandidateInputs& in) {
  if (!proposes) return {};
  return propose({.method = cautious_descent().info.name,
                  .why = "the test wants it",
                  .seconds = 1e-3 * in.costs.pass()});
}

const MethodRecord& cautious_descent() {
  static const MethodRecord record{
      .info = {"cautious-descent", "gradient descent with the step 1/lambda_max",
               trait::step_size | trait::spectrum | trait::bounds | trait::ridge, false},
      .make = gradient_descent_record().make,
      .plan = {.step_and_momentum = cautious_step, .rate = rate},
      .memory = memory,
      .turn = Turn::factorisation,
      .propose = propose_first};
  return record;
}

class NewMethod : public testing::Test {
 protected:
  NewMethod() {
    if (!find_record(name)) register_method(cautious_descent());
  }
  ~NewMethod() override { proposes = false; }

  const std::string name = cautious_descent().info.name;
  const Problem problem{consistent()};
};

TEST_F(NewMethod, is_in_the_table) {
  ASSERT_EQ(method_table().size(), method_records().size());
  const auto& records = method_records();
  const auto place = std::find(records.begin(), records.end(), &cautious_descent());
  ASSERT_NE(place, records.end());
  EXPECT_EQ(method_table()[static_cast<std::size_t>(place - records.begin())].name, name);
  ASSERT_NE(find_method(name), nullptr);
  EXPECT_EQ(find_method(name)->summary, cautious_descent().info.summary);
}

TEST_F(NewMethod, of_a_name_that_is_taken_is_refused) {
  EXPECT_THROW(register_method(cautious_descent()), Error);
  EXPECT_THROW(register_method(direct_record()), Error);
}

TEST_F(NewMethod, is_planned_by_its_record) {
  const SolveSetup setup(problem, with_method(name));
  const Plan& plan = setup.plan();
  EXPECT_EQ(plan.method, name);
  EXPECT_NEAR(*plan.used.step_size, 1.0 / *plan.used.lambda_max, 1e-12 / *plan.used.lambda_max);
  EXPECT_NEAR(*plan.used.predicted_rate, 1.0 - *plan.used.lambda_min / *plan.used.lambda_max,
              1e-12);
  EXPECT_EQ(plan.used.predicted_rate_kind, "proved");
  EXPECT_EQ(plan.rows_per_iteration, static_cast<double>(problem.rows()));
}

TEST_F(NewMethod, solves) {
  const Report report = solve(problem, with_method(name));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.method, name);
  EXPECT_LE(*report.error, 1e-6);
}

TEST_F(NewMethod, refuses_options_without_their_trait) {
  SolveOptions options = with_method(name);
  options.momentum = 0.5;
  EXPECT_THROW((void)solve(problem, options), Error);
}

TEST_F(NewMethod, is_budgeted_by_its_record) {
  const ProblemShape shape = shape_of(problem);
  const SolveOptions options = with_method(name);
  EXPECT_EQ(solve_bytes(shape, options), working_bytes(shape, name, options));
  EXPECT_GE(working_bytes(shape, name, options), 8e6);
}

TEST_F(NewMethod, is_shown_and_taken_by_auto_where_it_proposes_itself) {
  const SolveOptions options = with_method("auto");
  const std::string before = automatic_plan(problem, options).steps.at(0).method;
  EXPECT_NE(before, name);
  proposes = true;
  const AutomaticPlan plan = automatic_plan(problem, options);
  EXPECT_EQ(plan.steps.at(0).method, name);
  EXPECT_EQ(plan.steps.at(1).method, before);
  EXPECT_GE(solve_bytes(shape_of(problem), options), 8e6);
  const Report report = solve(problem, options);
  EXPECT_EQ(report.method, name) << report.reason;
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_EQ(report.stages.at(0).why, "the test wants it");
}

TEST_F(NewMethod, without_a_trait_that_the_problem_needs_is_ruled_out) {
  static const MethodRecord unridged = [] {
    MethodRecord out = cautious_descent();
    out.info.name = "unridged-descent";
    out.info.traits &= ~trait::ridge;
    return out;
  }();
  if (!find_record(unridged.info.name)) register_method(unridged);
  ProblemShape shape = shape_of(problem);
  shape.ridge = true;
  proposes = true;
  std::string why;
  for (const auto& one : automatic_plan(shape, with_method("auto")).ruled_out)
    if (one.method == unridged.info.name) why = one.why;
  EXPECT_EQ(why, "it cannot handle a ridge term");
}

}  // namespace
}  // namespace polyak::test
