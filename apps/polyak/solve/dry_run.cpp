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
#include "solve/input_shape.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

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
