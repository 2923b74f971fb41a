#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/bench.hpp"
#include "polyak/io.hpp"
#include "program.hpp"

#ifdef POLYAK_BENCH

namespace polyak::cli {
namespace {

struct BenchRequest : bench::Options {
  std::optional<std::string> json;
};

const std::vector<OptionRecord<BenchRequest>>& bench_options() {
  using R = BenchRequest;
  static const std::vector<OptionRecord<R>> table = {
      {.name = "rows",
       .field = &R::rows,
       .value = "N",
       .sentence = "Rows of the matrix.",
       .lowest = 1000,
       .highest = 0x1p31},
      {.name = "cols",
       .field = &R::cols,
       .value = "D",
       .sentence = "Columns of the matrix.",
       .lowest = 2,
       .highest = 1000},
      {.name = "threads",
       .field = &R::threads,
       .value = "N",
       .sentence = "Threads; 0 means all cores.",
       .lowest = 0,
       .highest = 4096},
      {.name = "seconds",
       .field = &R::seconds,
       .value = "S",
       .sentence = "Time to measure each subject, without the time to make matrices.",
       .lowest = 0,
       .highest = 86400},
      {.name = "seed",
       .field = &R::seed,
       .value = "N",
       .sentence = "Seed of matrices and samples."},
      {.name = "quick",
       .field = &R::quick,
       .value = "",
       .sentence = "Tiny sizes and times, to check that it runs; the times are meaningless."},
      {.name = "peers",
       .field = &R::peers,
       .value = "SCRIPT",
       .sentence = "Measure NumPy, SciPy and ASTRA too, with this Python script (bench/peers.py; "
                   "for python bench/python.py).",
       .file = FileUse::read},
      {.name = "cases",
       .field = &R::cases,
       .value = "TEXT,...",
       .sentence = "For solve and python: only cases with these names, or whose names contain one "
                   "of these texts. For plan: these cases instead of seeds."},
      {.name = "data",
       .field = &R::data,
       .value = "DIR",
       .sentence = "For solve and python: also the problems in DIR, NAME.mtx with NAME_rhs1.mtx "
                   "(also .gz).",
       .file = FileUse::read},
      {.name = "seeds",
       .field = &R::seeds,
       .value = "FIRST:LAST",
       .sentence = "For auto and plan: varied problems with these seeds, both ends included."},
      {.name = "parity",
       .field = &R::parity,
       .value = "all|even|odd",
       .sentence = "For auto and plan: all of these seeds, or the even or odd ones."},
      {.name = "json",
       .field = &R::json,
       .value = "FILE",
       .sentence = "Write all results to FILE as JSON; - is standard output.",
       .file = FileUse::written},
  };
  return table;
}

Usage bench_usage() {
  return {.command = "bench",
          .positionals = {"SUBJECT"},
          .required = 0,
          .text = R"(Measure this machine, the library and other libraries (peers), in turns.

Usage: polyak bench [SUBJECT] [options]

SUBJECT is kernels, sampling, replicates, iterations, tomography, solve, auto, plan
or python; without SUBJECT it measures all but the last four. Each table shows medians
and quartiles over rounds; in a round every contender has a short run. solve measures
whole problems, of up to 3.2 GB, from arrays or files to x, with auto, with each
method and with the peers. auto compares auto with each method on the problems of
`polyak generate varied`; plan compares the predictions of `polyak plan` for them
with the measured values; python compares the Python package with NumPy, SciPy and
scikit-learn.
)",
          .ending = R"(
Examples:
  polyak bench kernels --peers bench/peers.py
  polyak bench --seconds 120 --json today.json
  polyak bench solve --peers bench/peers.py --cases wide,kappa=30
  polyak bench auto --seeds 0:90 --parity even --json even.json
  polyak bench python --peers bench/python.py --rows 200000
)",
          .words = {"SUBJECT"}};
}

std::vector<std::string> subjects(const std::vector<std::string>& words) {
  if (words.empty()) return bench::usual_subjects();
  for (const std::string& name : bench::subjects())
    if (name == words[0]) return {name};
  const std::string near = nearest(words[0], bench::subjects());
  throw Error(ErrorCode::usage, {.what = "there is no such subject",
                                 .where = "bench",
                                 .found = "'" + words[0] + "'",
                                 .expected = listed(bench::subjects()),
                                 .hint = near.empty() ? "" : "did you mean " + near + "?"});
}

bool has(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse_option(const std::string& option, const std::string& what,
                                const std::vector<std::string>& chosen, const char* expected) {
  throw Error(ErrorCode::usage, {.what = what,
                                 .where = option,
                                 .found = chosen.size() == 1 ? chosen[0] : "no subject",
                                 .expected = expected,
                                 .hint = {}});
}

void check_options_used(const std::set<std::string>& given,
                        const std::vector<std::string>& chosen) {
  for (const std::string& name : given) {
    if ((name == "cases" || name == "data") && !has(chosen, "solve") && !has(chosen, "plan") &&
        !has(chosen, "python"))
      refuse_option("--" + name, "only the subjects solve, plan and python have cases", chosen,
                    "polyak bench solve");
    if ((name == "seeds" || name == "parity") && !has(chosen, "auto") && !has(chosen, "plan"))
      refuse_option("--" + name, "only the subjects auto and plan use seeds", chosen,
                    "polyak bench auto");
  }
}

}  // namespace

int bench_command(const Words& words, Messages& messages) {
  BenchRequest request;
  MessageOptions message;
  OptionSet options;
  options.add("Benchmark", bench_options(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, bench_usage());
  if (parsed.help) return print(help_text(bench_usage(), options)), 0;
  messages.configure(message);
  const std::vector<std::string> chosen = subjects(parsed.positionals);
  check_options_used(parsed.given, chosen);
  // Not the path that it stands for, where another program may be by now. Without /proc,
  // measurements of whole processes are left out.
  constexpr const char* this_program = "/proc/self/exe";
  if (std::error_code unknown; std::filesystem::exists(this_program, unknown))
    request.program = this_program;
  if (request.json) check_output("--json", *request.json);
  const bench::Results results =
      with_memory_for(fmt::format("a matrix of {} x {}", request.rows, request.cols), [&] {
        return bench::run(chosen, request, [&](const std::string& step) { messages.status(step); });
      });
  messages.status("");
  if (request.json) write_text(*request.json, bench::to_json(results));
  if (!messages.quiet() && request.json != "-") print(bench::to_text(results));
  return 0;
}

}  // namespace polyak::cli

#else

namespace polyak::cli {

int bench_command(const Words& words, Messages&) {
  if (!words.empty() && words[0] == "--help")
    return print("Usage: polyak bench\n\nNot in this build: configure with -DPOLYAK_BENCH=ON.\n"),
           0;
  throw Error(ErrorCode::usage, {.what = "this build has no benchmark",
                                 .where = "bench",
                                 .found = {},
                                 .expected = {},
                                 .hint = "configure with -DPOLYAK_BENCH=ON"});
}

}  // namespace polyak::cli

#endif
