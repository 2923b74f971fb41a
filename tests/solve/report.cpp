// The report and its JSON; replicates; options that do not fit.

#include <cmath>

#include "polyak/replicates.hpp"
#include "solve/report/fields.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST(report_json, holds_every_field_of_the_contract) {
  SolveOptions options = ample("minibatch-hbm");
  options.seed = 42;
  const Report report = solve(Problem(consistent()), options);
  const auto json = nlohmann::json::parse(to_json(report));
  for (const char* field : {"status",
                            "reason",
                            "method",
                            "iterations",
                            "row_products",
                            "passes",
                            "bytes_read",
                            "residual_norm",
                            "gradient_norm",
                            "relative_residual",
                            "relative_gradient",
                            "error",
                            "asked",
                            "used",
                            "seconds",
                            "rows",
                            "cols",
                            "nnz",
                            "seed",
                            "threads",
                            "version"})
    EXPECT_TRUE(json.contains(field)) << field;
  for (const char* field : {"step_size", "momentum", "batch", "sampling", "lambda_min",
                            "lambda_max", "frobenius2", "eta"})
    EXPECT_TRUE(json["used"].contains(field)) << field;
  for (const char* field : {"read", "setup", "setup_norms", "setup_table", "setup_spectrum",
                            "solve", "measure", "total"})
    EXPECT_TRUE(json["seconds"].contains(field)) << field;
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["seed"], 42);
  EXPECT_EQ(json["asked"]["batch"], 400);
  EXPECT_EQ(json["asked"]["step_size"], "auto");
  EXPECT_EQ(json["used"]["lambda_max_source"], "exact");
  EXPECT_NEAR(json["used"]["lambda_max"], 10.0, 1e-9);
  EXPECT_NEAR(json["used"]["lambda_min"], 1.0, 1e-9);
  EXPECT_NEAR(json["used"]["frobenius2"], 44.0, 1e-9);
}

// True if the members listed fill the struct but for padding.
template <class Struct>
bool lists_every_member() {
  struct Part {
    std::ptrdiff_t start, end, alignment;
  };
  const Struct of{};
  std::vector<Part> parts;
  Fields<Struct>::visit([&]<class Value>(const char*, Value Struct::*member, auto...) {
    const auto start =
        reinterpret_cast<const char*>(&(of.*member)) - reinterpret_cast<const char*>(&of);
    parts.push_back({start, start + static_cast<std::ptrdiff_t>(sizeof(Value)), alignof(Value)});
  });
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.start < b.start; });
  parts.push_back({sizeof(Struct), sizeof(Struct), alignof(Struct)});
  std::ptrdiff_t end = 0;
  for (const Part& part : parts) {
    if (part.start < end || part.start - end >= part.alignment) return false;
    end = part.end;
  }
  return true;
}

TEST(report_fields, the_list_of_fields_has_every_member) {
  EXPECT_TRUE(lists_every_member<Report>());
  EXPECT_TRUE(lists_every_member<Used>());
  EXPECT_TRUE(lists_every_member<Seconds>());
  EXPECT_TRUE(lists_every_member<Measurement>());
  EXPECT_TRUE(lists_every_member<Look>());
  EXPECT_TRUE(lists_every_member<Stage>());
  EXPECT_TRUE(lists_every_member<DependentColumn>());
}

TEST(report_json, leaves_out_what_was_not_measured) {
  const auto json = nlohmann::json::parse(
      to_json(solve(Problem(data(random(9, 2, 1), Rows::Zero(9, 1))), with_method("direct"))));
  EXPECT_FALSE(json.contains("error"));
  EXPECT_FALSE(json.contains("relative_residual"));  // |b| is zero
  EXPECT_FALSE(json["used"].contains("batch"));
}

TEST(report, counts_rows_and_bytes_as_they_were_read) {
  SolveOptions options = ample("minibatch-sgd");
  options.batch_size = 7;
  options.step_size = 0.01;
  options.max_iterations = 10;
  options.tol = 0.0;
  options.measure_every_iterations = 10;
  const Report report = solve(Problem(consistent(300, 8)), options);
  EXPECT_EQ(report.row_products, 70);
  EXPECT_EQ(report.measured_row_products, 600);
  EXPECT_DOUBLE_EQ(report.passes, 70.0 / 300.0);
  EXPECT_DOUBLE_EQ(report.bytes_read, (300 + 70 + 600) * 8 * 8.0);  // norms, method, measuring
}

TEST(history_csv, is_a_table_with_a_header_and_a_line_per_measurement) {
  SolveOptions options = ample("hbm");
  const Report report = solve(Problem(consistent()), options);
  const std::string csv = history_csv(report.history);
  EXPECT_EQ(csv.substr(0, 22), "iteration,row_products");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), std::ssize(report.history) + 1);
}

TEST(predicted_rates, of_deterministic_methods_are_met) {
  const Problem problem(consistent(400, 20));
  for (const char* method : {"gd", "hbm", "nag"}) {
    SolveOptions options = ample(method);
    options.tol = 0.0;
    options.max_iterations = 60;
    options.measure_every_iterations = 30;
    const Report report = solve(problem, options);
    ASSERT_TRUE(report.used.predicted_rate);
    const double measured =
        std::pow(*report.history[2].error / *report.history[1].error, 1.0 / 30.0);
    // Errors oscillate under momentum: agreement to a factor 10 over 30 steps.
    EXPECT_NEAR(std::log(measured), std::log(*report.used.predicted_rate), std::log(10.0) / 30.0)
        << method;
  }
}

TEST(replicates, are_the_runs_that_solve_makes_one_by_one) {
  const Problem problem(consistent());
  SolveOptions options = ample("minibatch-hbm");
  options.batch_size = 60;
  const Replicates runs = run_replicates(problem, options, 9, 20, 5);
  EXPECT_EQ(runs.iterations, (std::vector<Index>{0, 5, 10, 15, 20}));
  options.tol = 0.0;
  options.max_iterations = 20;
  options.measure_every_iterations = 5;
  for (std::uint64_t r : {0u, 4u, 8u}) {
    options.stream = r;
    const Report report = solve(problem, options);
    for (std::size_t m = 0; m < 5; ++m)
      EXPECT_NEAR(*report.history[m].error / runs.errors[r][m], 1.0, 1e-13);
  }
}

TEST(replicates, give_percentiles_between_runs) {
  Replicates runs;
  runs.iterations = {0};
  for (double e : {4.0, 1.0, 3.0, 2.0, 5.0}) runs.errors.push_back({e});
  EXPECT_EQ(runs.percentile(50), std::vector<double>{3.0});
  EXPECT_EQ(runs.percentile(0), std::vector<double>{1.0});
  EXPECT_EQ(runs.percentile(100), std::vector<double>{5.0});
  EXPECT_DOUBLE_EQ(runs.percentile(5)[0], 1.2);
  runs.errors.push_back({std::numeric_limits<double>::infinity()});
  EXPECT_EQ(runs.percentile(0), std::vector<double>{1.0});
  EXPECT_EQ(runs.percentile(100)[0], std::numeric_limits<double>::infinity());
}

TEST(replicates, show_divergence_as_infinite_error) {
  SolveOptions options = ample("minibatch-hbm");
  options.step_size = 1e6;
  const Replicates runs = run_replicates(Problem(consistent()), options, 2, 400, 100);
  EXPECT_EQ(runs.percentile(50).back(), std::numeric_limits<double>::infinity());
}

void expect_usage_error(const SolveOptions& options, const std::string& part) {
  try {
    (void)solve(Problem(consistent()), options);
    FAIL() << "accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(options_the_method_ignores, are_errors) {
  SolveOptions options = with_method("hbm");
  options.batch_size = 10;
  expect_usage_error(options, "batch: the method hbm does not use this option");
  options = with_method("rk");
  options.step_size = 0.1;
  expect_usage_error(options, "step_size");
  options = with_method("gd");
  options.momentum = 0.5;
  expect_usage_error(options, "momentum");
  options = with_method("lsqr");
  options.sampling = "uniform";
  expect_usage_error(options, "sampling");
  options = with_method("auto");
  options.gamma = 0.5;
  expect_usage_error(options, "the method direct");
  options = with_method("minibatch-hbm");
  options.lambda_min = 3.0;
  options.lambda_max = 2.0;
  expect_usage_error(options, "lambda-min is larger");
  options = with_method("steepest");
  expect_usage_error(options, "no method of that name");
}

TEST(given_probabilities, drive_the_sampling) {
  ProblemData parts = consistent(50, 3);
  SolveOptions options = ample("minibatch-hbm");
  options.sampling = "given";
  for (Index i = 0; i < 50; ++i) options.probabilities.push_back(1.0 + static_cast<double>(i));
  options.tol = 1e-10;
  const Report report = solve(Problem(parts), options);
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_GT(*report.used.eta, 1.0);
  EXPECT_GT(*report.used.eta, *report.used.eta_effective);
  options.probabilities[7] = 0.0;
  EXPECT_THROW((void)solve(Problem(parts), options), Error);
}

TEST(auto_method, factors_few_columns_and_takes_cg_for_many) {
  const std::string few = solve(Problem(consistent())).method;
  EXPECT_TRUE(few == "direct" || few == "normal") << few;
  std::vector<Triplet> entries;
  for (Index j = 0; j < 3500; ++j) entries.push_back({j, j, 1.0});
  ProblemData wide;
  wide.A = csr_from_triplets(entries, 3500, 3500);
  wide.b = array(Rows::Ones(3500, 1));
  const Report report = solve(Problem(wide));
  EXPECT_EQ(report.method, "cg");
  EXPECT_EQ(report.status, Status::converged);
}

}  // namespace
}  // namespace polyak::test
