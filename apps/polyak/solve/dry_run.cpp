#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/memory.hpp"
#include "polyak/automatic_plan.hpp"
#include "polyak/disk_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/memory.hpp"
#include "polyak/shape.hpp"
#include "polyak/solve_stream.hpp"
#include "ranks.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

struct Sizes {
  Index rows = 0, cols = 0, nonzeros = 0;
};

// What the files of a request become in memory, found without reading their values
// if the format allows it.
struct InputShape {
  ProblemShape problem;
  std::string kind;            // "dense, double, mapped"
  bool mapped = false;         // A stays in its file
  double rhs_bytes = 0.0;      // of b and weights in memory
  double reading_bytes = 0.0;  // needed besides A while A is read
  double buffer_bytes = 0.0;   // of rows that are read when they are used

  // Needed in memory before a method begins.
  double data_bytes() const { return (mapped ? buffer_bytes : problem.bytes) + rhs_bytes; }
};

FileInfo inspected(const std::string& path) {
  if (path != "-") return inspect(path);
  throw Error(ErrorCode::usage,
              {.what = "standard input can be read only once, and a dry run would use it up",
               .where = "--dry-run",
               .hint = "give a file"});
}

Sizes sizes_of(const ArrayInfo& array) {
  const Index rows = array.shape.empty() ? 1 : array.shape[0];
  const Index cols = array.shape.size() < 2 ? 1 : array.shape[1];
  return {rows, cols, array.sparse ? array.stored : rows * cols};
}

const ArrayInfo* find(const FileInfo& info, const std::string& name) {
  for (const ArrayInfo& array : info.arrays)
    if (array.name == name || array.name == "/" + name) return &array;
  return nullptr;
}

[[noreturn]] void refuse_unnamed(const std::string& path) {
  throw Error(ErrorCode::bad_data, {.what = "the file does not hold one array, nor A and b",
                                    .where = path,
                                    .hint = "name one after a colon; polyak info lists them"});
}

Sizes matrix_sizes(const FileInfo& info, const SolveRequest& request) {
  Sizes out{info.rows, info.cols, info.nonzeros};
  if (info.arrays.size() > 1) {
    const ArrayInfo* A = find(info, "A");
    if (!A) refuse_unnamed(request.A);
    out = sizes_of(*A);
  }
  const bool dense = out.nonzeros == out.rows * out.cols;
  if (info.note.find("symmetric") != std::string::npos && !dense)
    out.nonzeros *= 2;  // an upper bound
  const bool chosen = !request.data.columns.empty() || !request.data.drop.empty();
  if (chosen) {
    out.cols = columns_read(request.A, info, request.data.read_options());
    out.nonzeros = out.rows * out.cols;
  }
  const Index more =
      Index{request.data.intercept} - Index{!chosen && request.data.rhs_column.has_value()};
  out.cols += more;
  out.nonzeros = dense ? out.rows * out.cols : out.nonzeros + request.data.intercept * out.rows;
  return out;
}

bool single(const FileInfo& info, const SolveRequest& request) {
  return request.data.precision == "single" || info.value_type == "float";
}

// True if the .npy reader maps the file instead of copying it.
bool stays_in_file(const FileInfo& info, const SolveRequest& request) {
  const bool same = info.value_type == "float" ||
                    (info.value_type == "double" && request.data.precision == "double");
  return info.format == "NumPy array" && same && info.note != "Fortran order" &&
         !request.data.drop_nonfinite_rows;
}

void describe(const FileInfo& info, const SolveRequest& request, InputShape& out) {
  ProblemShape& p = out.problem;
  const Sizes sizes = matrix_sizes(info, request);
  p.rows = sizes.rows, p.cols = sizes.cols, p.nonzeros = sizes.nonzeros;
  const double value = single(info, request) ? 4.0 : 8.0;
  const bool dense = info.format != "SVMlight" && p.dense();
  p.bytes = static_cast<double>(p.nonzeros) * (dense ? value : value + 4.0) +
            (dense ? 0.0 : 8.0 * static_cast<double>(p.rows + 1));
  out.mapped = stays_in_file(info, request);
  out.kind = std::string(dense ? "dense, " : "csr, ") + (value == 4.0 ? "single" : "double") +
             (out.mapped ? ", mapped" : "");
  constexpr double text_per_byte = 4.0;  // compression factor of gzip on numbers
  if (info.note.find("compressed") != std::string::npos)
    out.reading_bytes = text_per_byte * info.file_bytes;
  if (request.data.drop_nonfinite_rows) out.reading_bytes += p.bytes;  // a copy of the rows kept
}

// Bytes in memory of an array with a number or more for each row. Where the rows of A stay on
// the disk, an .npy of doubles is mapped, and its pages are dropped behind their use.
double resident_bytes(const FileInfo& info, double numbers, bool on_disk) {
  constexpr double most_pages = 1e8;
  const bool mapped = info.format == "NumPy array" && info.value_type == "double";
  return on_disk && mapped ? std::min(most_pages, 8.0 * numbers) : 8.0 * numbers;
}

// The sizes of b; a single row counts as a column.
Sizes rhs_sizes(const FileInfo& A, const InputShape& shape, const SolveRequest& request) {
  const Sizes one{shape.problem.rows, 1, 0};
  if (!request.b) {
    const ArrayInfo* b = A.arrays.size() > 1 ? find(A, "b") : nullptr;
    return b ? sizes_of(*b) : one;
  }
  const FileInfo info = inspected(*request.b);
  if (info.format == "SVMlight") return {info.rows, 1, 0};
  if (info.rows == 1 && info.cols > 1) return {info.cols, 1, 0};
  return {info.rows, info.cols, 0};
}

void check_rows(const ProblemShape& A, const Sizes& b) {
  if (b.rows == A.rows) return;
  throw Error(ErrorCode::bad_data,
              {.what = "A and b do not have the same number of rows",
               .where = "b",
               .found = "A " + std::to_string(A.rows) + " x " + std::to_string(A.cols) + " and b " +
                        std::to_string(b.rows) + " x " + std::to_string(b.cols),
               .expected = std::to_string(A.rows) + " rows in b"});
}

bool stays_in_file(const SolveRequest& request) {
  std::error_code ignored;  // a pipe is no regular file and can be read only once
  return request.A.ends_with(".npy") && std::filesystem::is_regular_file(request.A, ignored) &&
         stays_in_file(inspect(request.A), request);
}

// Of several files the first, with the rows of all.
FileInfo inspected_table(const SolveRequest& request) {
  FileInfo out = inspected(request.files.front());
  for (std::size_t k = 1; k < request.files.size(); ++k) {
    const FileInfo more = inspected(request.files[k]);
    out.rows += more.rows;
    out.nonzeros += more.nonzeros;
    out.file_bytes += more.file_bytes;
  }
  return out;
}

InputShape input_shape(const SolveRequest& request) {
  const FileInfo info = inspected_table(request);
  InputShape out;
  describe(info, request, out);
  const Sizes b = rhs_sizes(info, out, request);
  check_rows(out.problem, b);
  out.problem.right_hand_sides = b.cols;
  out.problem.weighted = request.problem.weights.has_value();
  out.problem.shared_weights = !request.data.drop_nonfinite_rows;
  out.problem.ridge = request.problem.ridge > 0.0;
  out.problem.bounds = request.problem.lower.has_value() || request.problem.upper.has_value();
  if (out.mapped) {
    if (const auto disk = disk_use(*read_table(request.A, read_options_of(request)).A)) {
      out.kind.replace(out.kind.rfind("mapped"), std::string::npos, "on disk");
      out.buffer_bytes = disk->buffer_bytes;
    }
  }
  const bool on_disk = out.buffer_bytes > 0.0;
  const double n = static_cast<double>(out.problem.rows);
  out.rhs_bytes = resident_bytes(request.b ? inspected(*request.b) : info,
                                 n * static_cast<double>(b.cols), on_disk);
  if (out.problem.weighted)
    out.rhs_bytes += resident_bytes(inspected(*request.problem.weights), n, on_disk);
  return out;
}

[[noreturn]] void refuse(const SolveRequest& request, double needed, const std::string& hint) {
  throw Error(ErrorCode::out_of_memory,
              {.what = "the problem needs more memory than there is",
               .where = request.A,
               .found = "about " + bytes_text(needed),
               .expected = "at most " + bytes_text(limit_of(request)),
               .hint = hint + "--dry-run shows the details, --memory BYTES sets another limit"});
}

// A way to need less memory.
std::string advice(const InputShape& shape) {
  return shape.mapped ? "" : "polyak convert makes an .npy file, which is not read into memory; ";
}
std::string advice(const SolveRequest& request, const ProblemShape& shape) {
  const SolveOptions& asked = request.options;
  if (const auto uniform = with_uniform_sampling(asked)) {
    const double needed = solve_bytes(shape, *uniform);
    const std::string method =
        uniform->method == asked.method ? "" : "--method " + uniform->method + " ";
    if (2.0 * needed < solve_bytes(shape, asked))
      return method + "--sampling uniform needs about " + bytes_text(needed) + "; ";
  }
  return asked.method == "lsqr" ? "" : "--method lsqr needs the least; ";
}

void check_options_of(const SolveRequest& request) {
  SolveOptions options = request.options;
  const bool automatic = options.method == "auto";
  if (automatic)
    options.method = "direct", options.certify = "full";  // the options that auto accepts
  check_options(options, options.method);
}

struct MemoryEstimate {
  InputShape input;
  AutomaticPlan plan;                 // with --method auto; otherwise empty
  double working = 0.0, limit = 0.0;  // bytes; working: of the method
  MachineMemory machine;

  double needed() const { return input.data_bytes() + std::max(working, input.reading_bytes); }
  bool fits() const { return needed() <= limit; }
};

MemoryEstimate estimate_memory(const SolveRequest& request) {
  MemoryEstimate out;
  out.input = input_shape(request);
  if (request.options.method == "auto")
    out.plan = automatic_plan(out.input.problem, request.options);
  out.working = solve_bytes(out.input.problem, request.options);
  out.machine = machine_memory();
  out.limit = limit_of(request);
  return out;
}

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<10} {}\n", label, text);
}

std::string memory_text(const MemoryEstimate& m) {
  const InputShape& input = m.input;
  std::string out =
      line("A", fmt::format("{} x {}, {} entries, {}: {}", input.problem.rows, input.problem.cols,
                            input.problem.nonzeros, input.kind, bytes_text(input.problem.bytes)));
  out += line(
      "b", fmt::format("{} x {}{}: {}", input.problem.rows, input.problem.right_hand_sides,
                       input.problem.weighted ? ", and weights" : "", bytes_text(input.rhs_bytes)));
  if (input.reading_bytes > 0.0)
    out += line("reading", bytes_text(input.reading_bytes) + " more while A is read");
  out += line("solving", bytes_text(m.working));
  out += line("memory", fmt::format("{} needed{}, limit {} ({} free now)", bytes_text(m.needed()),
                                    input.mapped ? ", A stays in its file" : "",
                                    bytes_text(m.limit), bytes_text(m.machine.available)));
  return out;
}

bool is_read_once(const SolveRequest& request, const MemoryEstimate& m) {
  if (!is_text(request) || !stream_obstacle(request).empty() || rank_count() > 1) return false;
  return request.data.storage == "stream" || (request.data.storage == "auto" && !m.fits());
}
double factor_bytes(const SolveRequest& request, const MemoryEstimate& m) {
  return stream_bytes(m.input.problem.cols, m.input.problem.right_hand_sides,
                      request.options.threads);
}

std::string as_text(const SolveRequest& request, const MemoryEstimate& m) {
  std::string out = "Dry run: only sizes are read, nothing is written.\n" + memory_text(m);
  if (request.options.method == "auto")
    out += "\n" + automatic_text(m.plan);
  else
    out += line("method", request.options.method);
  if (is_read_once(request, m))
    return out + (m.fits() ? "\nSolve" : "\nThe problem does not fit into memory: solve") +
           " reads the rows once; their factor takes " + bytes_text(factor_bytes(request, m)) +
           " (--storage stream).\n";
  if (m.fits()) return out;
  return out +
         "\nThe problem does not fit into memory: solve refuses it unless --memory allows more.\n";
}

std::string as_json(const SolveRequest& request, const MemoryEstimate& m) {
  using Json = nlohmann::ordered_json;
  const ProblemShape& p = m.input.problem;
  Json out{{"dry_run", true},
           {"method", request.options.method},
           {"rows", p.rows},
           {"cols", p.cols},
           {"nnz", p.nonzeros},
           {"right_hand_sides", p.right_hand_sides},
           {"matrix", m.input.kind},
           {"mapped", m.input.mapped},
           {"memory",
            {{"A", p.bytes},
             {"b", m.input.rhs_bytes},
             {"reading", m.input.reading_bytes},
             {"solving", m.working},
             {"needed", m.needed()},
             {"limit", m.limit},
             {"available", m.machine.available},
             {"fits", m.fits()}}}};
  out["read_once"] = is_read_once(request, m);
  if (out["read_once"]) out["memory"]["factor"] = factor_bytes(request, m);
  if (request.options.method == "auto") out["automatic"] = Json::parse(to_json(m.plan));
  return out.dump(2) + "\n";
}

// 0 if the sizes cannot be found; then the reader reports the error.
double bytes_to_hold(const SolveRequest& request, std::string& hint) {
  try {
    const InputShape input = input_shape(request);
    hint = advice(input);
    return input.data_bytes() + input.reading_bytes;
  } catch (const Error&) {
    return 0.0;
  }
}

// False for formats that are never compressed.
bool may_be_compressed(const std::string& path) {
  constexpr std::string_view plain[] = {".npy", ".csv", ".tsv", ".mtx", ".svm", ".petsc"};
  return std::none_of(std::begin(plain), std::end(plain),
                      [&](std::string_view ending) { return path.ends_with(ending); });
}

// An upper bound from the sizes of the files alone; small files need no closer look. A value
// of text has at least two bytes and becomes at most eight; packed integers grow by a factor
// of eight.
bool may_be_large(const SolveRequest& request, double limit) {
  double sum = 0.0;
  for (const std::string& file : request.files) {
    const std::string path = file.substr(0, file.find(':'));
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (!error) sum += (may_be_compressed(path) ? 16384.0 : 16.0) * static_cast<double>(bytes);
  }
  return sum > limit;
}

// Estimates may be wrong by some; where they are close to the limit, lines are counted. Of several
// files, and of compressed ones, they decide.
bool surely_too_large(const SolveRequest& request, double limit) {
  if (!is_text(request)) return false;
  const bool counted = request.files.size() == 1 && !may_be_compressed(request.files.front());
  return estimated_bytes(request) > (counted ? 1.5 : 0.8) * limit;
}

// Text that does not fit is read once.
bool becomes_stream(SolveRequest& request, double needed) {
  if (request.data.storage != "auto" || !is_text(request)) return false;
  if (rank_count() > 1) return false;
  const double limit = limit_of(request);
  if (const Index cols = estimate_table(request.files).cells;
      stream_bytes(cols, 1, request.options.threads) > limit)
    return false;
  check_streamable(request, "about " + bytes_text(needed) + " do not fit into the " +
                                bytes_text(limit) + " of memory");
  request.data.storage = "stream";
  return true;
}

}  // namespace

void dry_run(const SolveRequest& request, const Messages& messages) {
  check_options_of(request);
  const MemoryEstimate m = estimate_memory(request);
  if (rank() == 0) print(messages.json() ? as_json(request, m) : as_text(request, m));
}

void check_input_memory(SolveRequest& request) {
  if (request.data.storage == "stream") return check_streamable(request, "--storage stream");
  run_collectively([&] {
    const double limit = limit_of(request);
    if (!may_be_large(request, limit)) return;
    if (surely_too_large(request, limit) && becomes_stream(request, estimated_bytes(request)))
      return;
    std::string hint;
    const double needed = bytes_to_hold(request, hint);
    if (needed > limit && !becomes_stream(request, needed)) refuse(request, needed, hint);
  });
}

void check_working_memory(const SolveRequest& request, const Problem& problem) {
  const ProblemShape shape = shape_of(problem);
  const double working = solve_bytes(shape, request.options);
  run_collectively([&] {
    const auto disk = disk_use(problem.A());
    const double held = disk                     ? disk->buffer_bytes
                        : stays_in_file(request) ? 0.0
                                                 : problem.A().bytes();
    if (working + held > limit_of(request)) refuse(request, working + held, advice(request, shape));
  });
}

}  // namespace polyak::cli
