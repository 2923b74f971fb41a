#include "polyak/solve_stream.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "core/clock.hpp"
#include "method/record.hpp"
#include "polyak/error.hpp"
#include "solve/stream/stream_report.hpp"

namespace polyak {
namespace {

[[noreturn]] void refuse_option(const std::string& name, const std::string& why) {
  throw Error(ErrorCode::usage,
              {.what = "rows that can be read only once are solved by one QR, " + why,
               .where = option_name(name),
               .hint = "leave it out, or put the rows into a file (polyak convert writes .npy)"});
}

void check_weights(const StreamProblem& problem) {
  for (std::size_t i = 0; i < problem.weights.size(); ++i) {
    const double w = problem.weights[i];
    if ((std::isfinite(w) && w >= 0.0) || (problem.drop_nonfinite_rows && !std::isfinite(w)))
      continue;
    throw Error(ErrorCode::bad_data, {.what = "a weight is negative or not finite",
                                      .where = "weights, row " + std::to_string(i + 1),
                                      .found = std::to_string(w),
                                      .expected = "0 or more"});
  }
}

void check_problem(const RowStream& rows, const StreamProblem& problem) {
  if (rows.has_rhs() == !problem.b.empty())
    throw Error(ErrorCode::usage, {.what = rows.has_rhs() ? "the right-hand side is given twice"
                                                          : "there is no right-hand side",
                                   .where = "b"});
  if (!(problem.ridge >= 0.0) || !std::isfinite(problem.ridge))
    throw Error(ErrorCode::bad_data, {.what = "the ridge term is negative or not finite",
                                      .where = "ridge",
                                      .found = std::to_string(problem.ridge),
                                      .expected = "0 or more"});
  check_weights(problem);
  const Index unknowns = rows.cols() + (problem.intercept ? 1 : 0);
  const Index sides = problem.b.empty() ? 1 : problem.b.cols();
  const Array& reference = problem.reference;
  if (!reference.empty() && (reference.rows() != unknowns || reference.cols() != sides))
    throw Error(
        ErrorCode::bad_data,
        {.what = "the reference does not have the shape of x",
         .where = "reference",
         .found = std::to_string(reference.rows()) + " x " + std::to_string(reference.cols()),
         .expected = std::to_string(unknowns) + " x " + std::to_string(sides)});
}

[[noreturn]] void refuse_numbers() {
  throw Error(ErrorCode::bad_data,
              {.what = "the columns have norms that are larger than any double, or R has no "
                       "singular values",
               .where = "A",
               .hint = "give A or b in other units"});
}

}  // namespace

void check_stream_options(const SolveOptions& options) {
  check_values(options);
  const SolveOptions fresh;
  if (options.method != fresh.method && options.method != direct_record().info.name)
    refuse_option("method", "which no other method can replace");
  for (const OptionRecord<SolveOptions>& record : solve_options())
    if (record.needs != 0 &&
        std::visit([&](auto member) { return options.*member != fresh.*member; }, record.field))
      refuse_option(record.name, "which does not use this option");
  if (options.max_passes && *options.max_passes < 1.0)
    refuse_option("max-passes", "which reads each of them");
  if (options.max_iterations && *options.max_iterations < 1)
    refuse_option("max-iterations", "which is one iteration");
  if (options.device != "auto" && options.device != "cpu")
    refuse_option("device", "which is computed on the CPU");
  if (options.stop_rule) refuse_option("stop-rule", "which has a tolerance");
}

double stream_bytes(Index cols, Index right_hand_sides, Index threads) {
  const int team = threads > 0 ? static_cast<int>(threads) : ThreadTeam::cores();
  const double p = static_cast<double>(cols + 1 + right_hand_sides);
  constexpr double squares = 4.0;  // R, its mapped copy, and two for its singular values
  return StreamPass::bytes(cols, right_hand_sides, team) + squares * 8.0 * p * p;
}

Report solve_stream(RowStream& rows, const StreamProblem& problem, const SolveOptions& options,
                    const std::function<void(Index rows)>& progress) {
  check_stream_options(options);
  check_problem(rows, problem);
  double reading_s = 0.0, solving_s = 0.0;
  StreamPass pass(rows, problem, options, progress);
  Triangle triangle;
  timed(reading_s, [&] { triangle = pass.run(); });
  TriangleFit fit;
  timed(solving_s, [&] {
    fit = fit_triangle(triangle,
                       {.ridge = problem.ridge, .scale_columns = options.column_scaling != "none"});
  });
  if (!fit.ok) refuse_numbers();
  return report_of({pass, triangle, fit, problem, options, reading_s, solving_s});
}

}  // namespace polyak
