#include "solve_load.hpp"

#include "ranks.hpp"

namespace polyak::cli {
namespace {

std::vector<double> values_of(const Array& array) {
  std::vector<double> out;
  out.reserve(to_size(array.view().size()));
  for (Index i = 0; i < array.rows(); ++i)
    for (Index j = 0; j < array.cols(); ++j) out.push_back(array(i, j));
  return out;
}

// A number, or a file.
std::vector<double> read_bound(const std::optional<std::string>& bound) {
  if (!bound) return {};
  double number = 0.0;
  if (detail::parse_into(std::string_view(*bound), number)) return {number};
  return values_of(read_array(*bound));
}

Array read_if_given(const std::optional<std::string>& path, bool keep_nonfinite = false) {
  return path ? read_array(*path, keep_nonfinite) : Array();
}

[[noreturn]] void refuse_without_rhs(const std::string& path) {
  throw Error(ErrorCode::usage,
              {.what = "there is no right-hand side",
               .where = path,
               .found = {},
               .expected = "polyak solve A b",
               .hint = "give b as a second file, or name its column with --rhs-column"});
}

// Only rank 0 has one.
void check_standard_input(const SolveRequest& request) {
  const ProblemOptions& p = request.problem;
  for (const auto& input :
       {std::optional(request.A), request.b, p.weights, p.x0, p.reference, p.lower, p.upper})
    if (input == "-" && rank_count() > 1)
      throw Error(ErrorCode::usage, {.what = "several ranks cannot share standard input",
                                     .where = "-",
                                     .found = std::to_string(rank_count()) + " ranks",
                                     .expected = "a file that every rank can read"});
}

// The small files first: what is missing is told before a large A is read.
// Rows to be dropped leave A, b and the weights together; when those are
// several files the readers let them through.
Loaded load_whole(const SolveRequest& request) {
  const ProblemOptions& problem = request.problem;
  const bool several = request.b.has_value() || problem.weights.has_value();
  const bool drop = request.data.drop_nonfinite_rows && several;
  ReadOptions options = request.data.read_options();
  options.keep_nonfinite = drop;
  if (drop) options.drop_nonfinite_rows = false;
  Loaded out;
  ProblemData& data = out.data;
  data.x0 = read_if_given(problem.x0);
  data.reference = read_if_given(problem.reference);
  data.lower = read_bound(problem.lower);
  data.upper = read_bound(problem.upper);
  data.ridge = problem.ridge;
  data.weights = values_of(read_if_given(problem.weights, drop));
  data.b = read_if_given(request.b, drop);
  Table table = read_table(request.A, options);
  if (!request.b) data.b = table.b;
  if (!request.b && table.b.empty()) refuse_without_rhs(request.A);
  data.A = table.A;
  out.names = std::move(table.names);
  out.dropped_rows = table.dropped_rows;
  if (drop) out.dropped_rows = drop_nonfinite_rows(data);
  return out;
}

}  // namespace

Loaded load(const SolveRequest& request) {
  check_standard_input(request);
  Loaded out;
  together([&] { out = load_whole(request); });
  share_rows(out.data, request.A);
  return out;
}

}  // namespace polyak::cli
