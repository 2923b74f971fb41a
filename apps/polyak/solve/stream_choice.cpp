#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/memory.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"
#include "polyak/solve_stream.hpp"
#include "ranks.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

// What the library says of the options of the solver: the option is what it names.
std::string obstacle_of(const SolveOptions& options) {
  try {
    check_stream_options(options);
    return "";
  } catch (const Error& error) {
    return error.parts().where;
  }
}

}  // namespace

double limit_of(const SolveRequest& request) {
  return request.machine.memory_bytes.value_or(machine_memory().total);
}

std::string stream_obstacle(const SolveRequest& request) {
  const ProblemOptions& problem = request.problem;
  if (problem.x0) return "--x0";
  if (problem.lower) return "--lower";
  if (problem.upper) return "--upper";
  if (request.checkpoint.checkpoint) return "--checkpoint";
  if (request.checkpoint.resume) return "--resume";
  if (request.outputs.fitted) return "--fitted";
  if (request.outputs.residuals) return "--residuals";
  if (request.data.precision != "double") return "--precision " + request.data.precision;
  return obstacle_of(request.options);
}

void check_streamable(const SolveRequest& request, const std::string& why) {
  if (rank_count() > 1)
    throw Error(ErrorCode::usage, {.what = "several ranks cannot read rows once",
                                   .where = request.A,
                                   .found = std::to_string(rank_count()) + " ranks",
                                   .expected = "one, or a table that fits into memory",
                                   .hint = "polyak convert writes an .npy, of which each rank "
                                           "reads its own rows"});
  const std::string obstacle = stream_obstacle(request);
  if (obstacle.empty()) return;
  throw Error(
      ErrorCode::usage,
      {.what = "rows are read once here (" + why + "), and this needs them again",
       .where = obstacle,
       .hint = "leave it out for an exact solve by QR, or write an .npy with polyak convert "
               "and solve that"});
}

bool is_text(const SolveRequest& request) {
  return std::all_of(request.files.begin(), request.files.end(), [](const std::string& file) {
    return is_text_table(file) && is_regular(file);
  });
}

double estimated_bytes(const SolveRequest& request) {
  const TableEstimate table = estimate_table(request.files);
  double compressed = 0.0;
  for (const std::string& file : request.files)
    if (file.ends_with(".gz") || file.ends_with(".zst")) compressed = table.text_bytes;
  const double value = request.data.precision == "single" ? 4.0 : 8.0;
  return table.rows * static_cast<double>(table.cells) * value + compressed;
}

void check_stream_memory(const SolveRequest& request, Index cols, Index right_hand_sides) {
  const double needed = stream_bytes(cols, right_hand_sides, request.options.threads);
  const double limit = limit_of(request);
  if (needed <= limit) return;
  throw Error(ErrorCode::out_of_memory, {.what = "the factor of " + std::to_string(cols) +
                                                 " columns does not fit into memory",
                                         .where = request.A,
                                         .found = "about " + bytes_text(needed),
                                         .expected = "at most " + bytes_text(limit),
                                         .hint = "--memory BYTES sets another limit"});
}

}  // namespace polyak::cli
