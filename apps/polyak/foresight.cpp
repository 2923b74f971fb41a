#include "foresight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "automatic_text.hpp"
#include "input_shape.hpp"
#include "machine_memory.hpp"
#include "polyak/automatic_plan.hpp"
#include "polyak/memory.hpp"
#include "ranks.hpp"

namespace polyak::cli {
namespace {

double limit_of(const SolveRequest& request) {
  return request.machine.memory_bytes.value_or(machine_memory().total);
}

[[noreturn]] void refuse(const SolveRequest& request, double needed, const std::string& hint) {
  throw Error(ErrorCode::out_of_memory,
              {.what = "this takes more memory than there is",
               .where = request.A,
               .found = "about " + bytes_text(needed),
               .expected = "at most " + bytes_text(limit_of(request)),
               .hint = hint + "--dry-run tells more, --memory BYTES sets another limit"});
}

// What would help A itself: a file that can be mapped is read in place.
std::string advice(const InputShape& shape) {
  return shape.mapped ? "" : "polyak convert makes an .npy, which is read in place; ";
}
std::string advice(const SolveRequest& request) {
  return request.options.method == "lsqr" ? "" : "--method lsqr takes least; ";
}

void check_options_of(const SolveRequest& request) {
  SolveOptions options = request.options;
  const bool automatic = options.method == "auto";
  if (automatic) options.method = "direct", options.certify = "full";  // as auto itself does
  check_options(options, options.method);
}

struct Foresight {
  InputShape input;
  AutomaticPlan plan;  // of auto; of a named method nothing
  double working = 0.0, limit = 0.0;
  MachineMemory machine;

  double needed() const {
    return input.data_bytes() + std::max(working, input.reading_bytes);
  }
  bool fits() const { return needed() <= limit; }
};

Foresight foresight(const SolveRequest& request) {
  Foresight out;
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

std::string memory_text(const Foresight& f) {
  const InputShape& input = f.input;
  std::string out = line("A", fmt::format("{} x {}, {} entries, {}: {}", input.problem.rows,
                                          input.problem.cols, input.problem.nonzeros, input.kind,
                                          bytes_text(input.problem.bytes)));
  out += line("b", fmt::format("{} x {}{}: {}", input.problem.rows, input.problem.right_hand_sides,
                               input.problem.weighted ? ", and weights" : "",
                               bytes_text(input.rhs_bytes)));
  if (input.reading_bytes > 0.0) out += line("reading", bytes_text(input.reading_bytes) + " more");
  out += line("solving", bytes_text(f.working));
  out += line("memory", fmt::format("{} needed{}, {} there ({} free now)", bytes_text(f.needed()),
                                    input.mapped ? ", A's pages come and go" : "",
                                    bytes_text(f.limit), bytes_text(f.machine.available)));
  return out;
}

std::string as_text(const SolveRequest& request, const Foresight& f) {
  std::string out = "Dry run: nothing is read but sizes, nothing is written.\n" + memory_text(f);
  if (request.options.method == "auto") out += "\n" + automatic_text(f.plan);
  else out += line("method", request.options.method);
  if (f.fits()) return out;
  return out + "\nThis does not fit into memory: solve refuses it unless --memory allows more.\n";
}

std::string as_json(const SolveRequest& request, const Foresight& f) {
  using Json = nlohmann::ordered_json;
  const ProblemShape& p = f.input.problem;
  Json out{{"dry_run", true},
           {"method", request.options.method},
           {"rows", p.rows},
           {"cols", p.cols},
           {"nnz", p.nonzeros},
           {"right_hand_sides", p.right_hand_sides},
           {"matrix", f.input.kind},
           {"mapped", f.input.mapped},
           {"memory",
            {{"A", p.bytes},
             {"b", f.input.rhs_bytes},
             {"reading", f.input.reading_bytes},
             {"solving", f.working},
             {"needed", f.needed()},
             {"limit", f.limit},
             {"available", f.machine.available},
             {"fits", f.fits()}}}};
  if (request.options.method == "auto") out["automatic"] = Json::parse(to_json(f.plan));
  return out.dump(2) + "\n";
}

// What cannot be told before reading is told by who reads.
double bytes_to_hold(const SolveRequest& request, std::string& hint) {
  try {
    const InputShape input = input_shape(request);
    hint = advice(input);
    return input.data_bytes() + input.reading_bytes;
  } catch (const Error&) {
    return 0.0;
  }
}

// Formats that may be compressed.
bool may_grow_much(const std::string& path) {
  constexpr std::string_view plain[] = {".npy", ".csv", ".mtx", ".svm", ".petsc"};
  return std::none_of(std::begin(plain), std::end(plain),
                      [&](std::string_view ending) { return path.ends_with(ending); });
}

// Of text each value takes two bytes or more and becomes at most eight, packed
// integers become eight times what they were: a file smaller than this cannot
// fill the memory, and is not worth looking at twice.
bool may_be_large(const SolveRequest& request, double limit) {
  const std::string path = request.A.substr(0, request.A.find(':'));
  const double growth = may_grow_much(path) ? 16384.0 : 16.0;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return !error && growth * static_cast<double>(bytes) > limit;
}

}  // namespace

bool foresee(const SolveRequest& request, Messages& messages) {
  if (request.machine.dry_run) {
    check_options_of(request);
    const Foresight f = foresight(request);
    if (rank() == 0) print(messages.json() ? as_json(request, f) : as_text(request, f));
    return true;
  }
  together([&] {
    const double limit = limit_of(request);
    if (!may_be_large(request, limit)) return;
    std::string hint;
    const double needed = bytes_to_hold(request, hint);
    if (needed > limit) refuse(request, needed, hint);
  });
  return false;
}

void check_memory(const SolveRequest& request, const Problem& problem) {
  const double working = solve_bytes(shape_of(problem), request.options);
  together([&] {
    const double held = stays_in_file(request) ? 0.0 : problem.A().bytes();
    if (working + held > limit_of(request)) refuse(request, working + held, advice(request));
  });
}

}  // namespace polyak::cli
