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

// No output may replace A, b or another output.
void check_places(const SolveRequest& request) {
  const OutputOptions& outputs = request.outputs;
  std::vector<std::string> others;
  for (const auto& path : {outputs.output, outputs.report, outputs.history, outputs.statistics,
                           request.checkpoint.checkpoint}) {
    if (!path) continue;
    for (const std::string& other : others)
      check_different(*path, other, "two outputs go to the same place");
    for (const std::string& input : {request.A, request.b.value_or(request.A)})
      if (*path != "-") check_different(*path, input, "the output would replace the input");
    others.push_back(*path);
  }
}

}  // namespace

void check_request(SolveRequest& request) {
  check_inputs(request);
  check_places(request);
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
