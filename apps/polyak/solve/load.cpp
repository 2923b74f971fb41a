#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "polyak/disk_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "polyak/table_parts.hpp"
#include "ranks.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

std::vector<double> values_of(const Array& array) {
  std::vector<double> out;
  out.reserve(to_size(array.view().size()));
  for (Index i = 0; i < array.rows(); ++i)
    for (Index j = 0; j < array.cols(); ++j) out.push_back(array(i, j));
  return out;
}

// A number or a file; inf and -inf mean no bound, in both.
std::vector<double> read_bound(const std::optional<std::string>& bound) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (!bound) return {};
  double number = 0.0;
  if (detail::parse_into(std::string_view(*bound), number)) return {number};
  if (*bound == "inf" || *bound == "+inf") return {inf};
  if (*bound == "-inf") return {-inf};
  return values_of(read_array(*bound, true));
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

// Only rank 0 has a standard input.
void check_standard_input(const SolveRequest& request) {
  const ProblemOptions& p = request.problem;
  for (const auto& input : {std::optional(request.files.front()), request.b, p.weights, p.x0,
                            p.reference, p.lower, p.upper})
    if (input == "-" && rank_count() > 1)
      throw Error(ErrorCode::usage, {.what = "several ranks cannot share standard input",
                                     .where = "-",
                                     .found = std::to_string(rank_count()) + " ranks",
                                     .expected = "a file that every rank can read"});
}

// Weights stay where they are, unless rows are dropped.
void load_weights(const Array& weights, bool drop, ProblemData& data) {
  const ConstView w = weights.view();
  const bool plain = w.cols == 1 && w.stride == 1 && !drop;
  if (plain)
    data.shared_weights = weights;
  else
    data.weights = values_of(weights);
}

// The small files first, so that a missing file is reported before a large A is read.
void load_vectors(const SolveRequest& request, ProblemData& data) {
  const ProblemOptions& problem = request.problem;
  const bool drop = request.data.drop_nonfinite_rows;
  data.x0 = read_if_given(problem.x0);
  data.reference = read_if_given(problem.reference);
  data.lower = read_bound(problem.lower);
  data.upper = read_bound(problem.upper);
  data.ridge = problem.ridge;
  data.intercept = request.data.intercept;
  load_weights(read_if_given(problem.weights, drop), drop, data);
  data.b = read_if_given(request.b, drop);
}

// Text of a pipe becomes a stream where it is long, unless an option needs it in memory: then it
// does where memory ends.
ReadOptions table_options_of(const SolveRequest& request) {
  ReadOptions options = read_options_of(request);
  if (!stream_obstacle(request).empty()) options.held_bytes = options.memory_bytes;
  return options;
}

void load_whole(const SolveRequest& request, Loaded& out) {
  OpenedTable opened = open_table(request.files, table_options_of(request));
  if (opened.stream) {
    check_streamable(request, "the input does not fit into memory");
    check_stream_memory(request, opened.stream->cols(), request.b ? out.data.b.cols() : 1);
    if (!request.b && !opened.stream->has_rhs()) refuse_without_rhs(request.A);
    out.names = opened.stream->names();
    out.stream = std::move(opened.stream);
    return;
  }
  Table& table = opened.table;
  ProblemData& data = out.data;
  if (!request.b) data.b = table.b;
  if (!request.b && table.b.empty()) refuse_without_rhs(request.A);
  data.A = table.A;
  out.names = std::move(table.names);
}

// A file of one row is read as one column; with one unknown it is that of several right-hand sides.
Array as_row(const Array& values) {
  const ConstView v = values.view();
  if (v.rows < 2 || v.cols != 1 || v.stride != 1) return values;
  return Array(ConstView{v.data, 1, v.rows, v.rows}, std::make_shared<const Array>(values));
}

void take_rows_of_one_unknown(ProblemData& data) {
  if (data.A->cols() + data.intercept != 1) return;
  data.x0 = as_row(data.x0);
  data.reference = as_row(data.reference);
}

// The rows of A on this rank begin at `first`; the whole A has `rows` rows.
struct Part {
  Index first = 0, rows = 0;
};

// Reduces A to the rows of this rank. Of a mapped .npy only these rows are ever read; any
// other A was read whole, and the rows are copied.
Part own_part(ProblemData& data, const std::string& path) {
  const Index n = data.A->rows();
  const RowRange range = even_share(n, rank(), rank_count());
  if (rank_count() > 1)
    run_collectively([&] {
      data.A = rows_between(data.A, range, path.ends_with(".npy") ? Keep::view : Keep::copy);
    });
  return {range.first, n};
}

// Counts of this rank's part of the file of A; nothing if the file is read whole.
std::optional<PartCounts> counts_of_own_part(const SolveRequest& request) {
  if (rank_count() == 1 || request.files.size() > 1) return std::nullopt;
  return count_part(request.A, read_options_of(request), rank(), rank_count());
}

// The counts of every rank, by an allreduce; empty unless all ranks have a part.
std::vector<PartCounts> counts_of_ranks(const std::optional<PartCounts>& own) {
  constexpr std::size_t fields = 5;
  std::vector<double> numbers(fields * to_size(rank_count()), 0.0);
  if (own) {
    const Index values[fields] = {1, own->rows, own->lines, own->entries, own->bytes};
    std::copy_n(values, fields, numbers.begin() + Index{fields} * rank());
  }
  sum_over_ranks(numbers);
  std::vector<PartCounts> out;
  for (std::size_t at = 0; at < numbers.size() && numbers[at] != 0.0; at += fields) {
    const auto value = [&](std::size_t k) { return static_cast<Index>(numbers[at + k]); };
    out.push_back({value(1), value(2), value(3), value(4)});
  }
  return std::ssize(out) == rank_count() ? out : std::vector<PartCounts>();
}

void check_same_file(const std::string& path, const std::vector<PartCounts>& counts) {
  for (const PartCounts& part : counts)
    if (part.bytes != counts[0].bytes)
      throw Error(ErrorCode::bad_data, {.what = "the ranks read files of different lengths",
                                        .where = path,
                                        .found = std::to_string(part.bytes) + " bytes",
                                        .expected = std::to_string(counts[0].bytes),
                                        .hint = "give every rank the same file"});
}

Part load_part(const SolveRequest& request, const std::vector<PartCounts>& counts, Loaded& out) {
  const Index first = sum_of_parts(counts, rank()).rows;
  const Index rows = sum_of_parts(counts, rank_count()).rows;
  run_collectively([&] {
    check_same_file(request.A, counts);
    Table table = read_part(request.A, read_options_of(request), rank(), counts);
    if (!request.b && table.b.empty() && table.A->rows() > 0) refuse_without_rhs(request.A);
    ConstView b = table.b.view();
    b.cols = 1;  // also if there is no row
    if (!request.b) out.data.b = placed_rows(b, first, rows);
    out.data.A = table.A;
    out.names = std::move(table.names);
  });
  return {first, rows};
}

bool finite_row(const ProblemData& data, Index i) {
  if (!std::isfinite(data.A->max_abs(i, i + 1))) return false;
  if (!data.weights.empty() && !std::isfinite(data.weights[to_size(i)])) return false;
  for (Index c = 0; c < data.b.cols(); ++c)
    if (!std::isfinite(data.b(i, c))) return false;
  return true;
}

std::vector<Index> finite_rows(const ProblemData& data) {
  std::vector<Index> kept;
  data.A->expect_range(0, data.A->rows());
  for (Index i = 0; i < data.A->rows(); ++i)
    if (finite_row(data, i)) kept.push_back(i);
  return kept;
}

// Every matrix that is read from a file stores its rows and can list some of them.
MatrixPtr matrix_rows(const MatrixPtr& A, const std::vector<Index>& kept) {
  if (disk_use(*A))
    throw Error(ErrorCode::usage,
                {.what = "rows cannot be dropped from a matrix that stays on the disk",
                 .where = "--drop-nonfinite-rows",
                 .found = std::to_string(A->rows() - std::ssize(kept)) + " such rows",
                 .hint = "polyak convert --drop-nonfinite-rows writes a file without them"});
  if (auto rows = listed_rows(*A, kept)) return rows;
  throw Error(
      ErrorCode::internal,
      {.what = "rows cannot be dropped from this matrix", .where = "A", .found = A->kind()});
}

Array array_rows(const Array& values, const std::vector<Index>& kept) {
  std::vector<double> out;
  for (Index i : kept)
    for (Index c = 0; c < values.cols(); ++c) out.push_back(values(i, c));
  return Array(std::move(out), std::ssize(kept), values.cols());
}

// Removes the rows in which A, b or the weights, all of the same height, are not finite.
void drop_nonfinite_rows(ProblemData& data) {
  const std::vector<Index> kept = finite_rows(data);
  if (std::ssize(kept) == data.A->rows()) return;
  data.A = matrix_rows(data.A, kept);
  data.b = array_rows(data.b, kept);
  std::vector<double> weights;
  if (!data.weights.empty())
    for (Index i : kept) weights.push_back(data.weights[to_size(i)]);
  data.weights = std::move(weights);
}

Loaded with_intercept_name(Loaded out) {
  if (out.data.intercept && !out.names.empty()) out.names.emplace_back("intercept");
  return out;
}

// True if b and the weights have as many rows as A, on every rank.
bool rows_match(const ProblemData& data, const Part& part) {
  const bool match =
      data.b.rows() == part.rows && (data.weights.empty() || std::ssize(data.weights) == part.rows);
  double mismatches = match ? 0.0 : 1.0;
  sum_over_ranks({&mismatches, 1});
  return mismatches == 0.0;
}

// Every rank drops rows of its own; the remaining rows are renumbered.
Part without_nonfinite(const Part& part, Loaded& out) {
  ProblemData& data = out.data;
  if (!rows_match(data, part)) return part;  // the constructor of Problem reports it
  const bool weighted = !data.weights.empty();
  const Index here = data.A->rows();
  ProblemData own;
  std::vector<double> kept(to_size(rank_count()), 0.0);
  run_collectively([&] {
    const ConstView b = data.b.view();
    own.A = data.A;
    own.b = Array(ConstView{b.row(part.first), here, b.cols, b.stride}, nullptr);
    if (weighted)
      own.weights.assign(data.weights.begin() + part.first,
                         data.weights.begin() + part.first + here);
    drop_nonfinite_rows(own);
    kept[to_size(rank())] = static_cast<double>(own.A->rows());
  });
  sum_over_ranks(kept);
  const auto up_to = [&](Index ranks) {
    return static_cast<Index>(std::accumulate(kept.begin(), kept.begin() + ranks, 0.0));
  };
  const Part left{up_to(rank()), up_to(rank_count())};
  if (left.rows == part.rows) return part;
  std::vector<double> weights(weighted ? to_size(left.rows) : 0, 0.0);
  run_collectively([&] {
    data.A = own.A;
    data.b = placed_rows({own.b.view().data, own.A->rows(), data.b.cols(), own.b.view().stride},
                         left.first, left.rows);
    std::copy(own.weights.begin(), own.weights.end(), weights.begin() + left.first);
  });
  sum_over_ranks(weights);
  data.weights = std::move(weights);
  out.dropped_rows = part.rows - left.rows;
  return left;
}

}  // namespace

// A row with NaN or Inf is dropped from A, b and the weights at once, after all are read; so
// the readers must keep it.
ReadOptions read_options_of(const SolveRequest& request) {
  ReadOptions options = request.data.read_options();
  options.keep_nonfinite = options.drop_nonfinite_rows;
  options.drop_nonfinite_rows = false;
  options.processes = rank_count();
  if (request.machine.memory_bytes)
    options.memory_bytes = std::min(options.memory_bytes, *request.machine.memory_bytes);
  return options;
}

Loaded load(const SolveRequest& request) {
  check_standard_input(request);
  Loaded out;
  std::optional<PartCounts> own;
  run_collectively([&] {
    load_vectors(request, out.data);
    own = counts_of_own_part(request);
  });
  const std::vector<PartCounts> counts = counts_of_ranks(own);
  Part part;
  if (!counts.empty()) {
    part = load_part(request, counts, out);
  } else {
    run_collectively([&] { load_whole(request, out); });
    if (out.stream) return with_intercept_name(std::move(out));
    part = own_part(out.data, request.A);
    check_same_sizes(out.data, part.rows);  // join_rows checks again after rows are dropped
  }
  take_rows_of_one_unknown(out.data);
  if (request.data.drop_nonfinite_rows) part = without_nonfinite(part, out);
  join_rows(out.data, part.first, part.rows);
  return with_intercept_name(std::move(out));
}

}  // namespace polyak::cli
