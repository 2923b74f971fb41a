#include "solve_request.hpp"

#include <algorithm>

#include "output_paths.hpp"

namespace polyak::cli {
namespace {

void check_inputs(const SolveRequest& request) {
  const ProblemOptions& p = request.problem;
  if (request.b && request.data.rhs_column)
    throw Error(ErrorCode::usage, {.what = "the right-hand side is given twice",
                                   .where = "--rhs-column",
                                   .found = "b = " + *request.b,
                                   .expected = "either a file b or --rhs-column"});
  const auto inputs = {
      std::optional(request.A), request.b, p.weights, p.x0, p.reference, p.lower, p.upper};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw Error(ErrorCode::usage, {.what = "only one input can be standard input", .where = "-"});
}

}  // namespace

void check_request(SolveRequest& request) {
  check_inputs(request);
  const OutputOptions& outputs = request.outputs;
  if (outputs.output)
    check_output("--output", *outputs.output, {".npy", ".mtx", ".mtx.gz", ".csv"});
  if (outputs.report) check_output("--report", *outputs.report);
  if (outputs.history) check_output("--history", *outputs.history);
  check_checkpoint(request.checkpoint);
  if (!outputs.statistics) return;
  check_output("--output-statistics", *outputs.statistics, {".csv"});
  request.options.statistics = true;
}

}  // namespace polyak::cli
