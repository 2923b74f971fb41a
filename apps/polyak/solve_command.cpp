#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checkpointing.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "foresight.hpp"
#include "memory.hpp"
#include "polyak/methods.hpp"
#include "polyak/version.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "signals.hpp"
#include "solve_load.hpp"
#include "solve_outputs.hpp"

namespace polyak::cli {
namespace {

std::string ending() {
  std::string out = "\nMethods:\n";
  for (const MethodInfo& method : method_table())
    out += fmt::format("  {:<15} {}\n", method.name, method.summary);
  return out + R"(
Exit code: 0 converged, 3 limit reached or stagnated (x is written), 4 diverged,
2 wrong usage, 65 bad data, 66 no such file, 71 out of memory, 74 reading or
writing failed, 75 interrupted and saved by --checkpoint, 130 and 143 interrupted
without (x is written either way).

With --log-format json, standard error holds one object a line ("event" is
start, resume, measure, checkpoint, warning, finish or error) and standard output
the report.

Examples:
  polyak solve A.npy b.npy --output x.npy
  polyak solve A.mtx b.mtx --method minibatch-hbm --batch 500 --history h.csv
  polyak solve houses.csv --rhs-column price --intercept
  gunzip -c A.mtx.gz | polyak solve - b.npy --tol 1e-10 --report report.json
  polyak solve A.npy b.npy --checkpoint run.ckpt --resume auto --output x.npy
)";
}

Usage usage() {
  return {.command = "solve",
          .positionals = {"A", "b"},
          .required = 1,
          .text = R"(Find x that minimises |Ax - b|, the rows of A being read a few at a time.

Usage: polyak solve A b [options]
       polyak solve TABLE.csv --rhs-column NAME [--intercept] [options]
       polyak solve TABLE.svm [options]
       polyak solve DATA.mat [options]

A, b and every other FILE are .mtx, .mtx.gz, .npy, .csv, .svm, .h5 (as
file.h5:/dataset), .mat (file.mat:variable), .petsc, or - for standard input. An
.h5 or .mat file with arrays A and b is enough by itself, and so is a .petsc file
of a matrix and a vector.
)",
          .ending = ending()};
}

std::string sizes(const ProblemData& data) {
  return fmt::format("A is {} x {}, {} entries, {:.3g} MB", data.A->rows(), data.A->cols(),
                     data.A->nonzeros(), data.A->bytes() / 1e6);
}

void tell_start(const SolveRequest& request, const ProblemData& data, Messages& messages) {
  messages.event({{"event", "start"},
                  {"command", "solve"},
                  {"version", version_string},
                  {"A", request.A},
                  {"rows", data.A->rows()},
                  {"cols", data.A->cols()},
                  {"nnz", data.A->nonzeros()},
                  {"method", request.options.method}});
}

struct Solved {
  Report report;
  int exit_code = 0;
  std::optional<Error> not_saved;
};

Solved solve_loaded(const SolveRequest& request, const Loaded& loaded, Messages& messages) {
  return with_memory_for(sizes(loaded.data), [&] {
    const Problem problem(loaded.data);
    check_memory(request, problem);
    tell_start(request, loaded.data, messages);
    messages.status("preparing");
    catch_signals(messages.live());
    Progress progress(messages, problem.rows());
    const auto print = [&] { return fingerprint(problem, request.options); };
    Checkpointing saver(request.checkpoint, print, progress, messages);
    Report report = solve(problem, request.options, &saver, saver.start());
    const int code = saver.exit_code(report.status);
    return Solved{std::move(report), code, saver.failure()};
  });
}

void add_reading(Report& report, const Loaded& loaded, double seconds) {
  report.seconds.read = seconds;
  report.seconds.total += seconds;
  if (loaded.dropped_rows == 0) return;
  report.warnings.push_back(fmt::format("{} row{} with NaN, Inf or an empty cell dropped",
                                        loaded.dropped_rows, loaded.dropped_rows == 1 ? "" : "s"));
}

}  // namespace

int solve_command(const Words& words, Messages& messages) {
  SolveRequest request;
  const OptionSet options = solve_option_set(request);
  const Parsed parsed = parse(words, options, usage());
  if (parsed.help) return print(help_text(usage(), options)), 0;
  messages.configure(request.messages);
  request.A = parsed.positionals[0];
  if (parsed.positionals.size() > 1) request.b = parsed.positionals[1];
  check_request(request);
  if (rank_count() > 1 && request.options.threads == 0) request.options.threads = 1;
  if (foresee(request, messages)) return 0;

  messages.status("reading " + request.A);
  const double start = clock_s();
  const Loaded loaded = with_memory_for(request.A, [&] { return load(request); });
  const double seconds = clock_s() - start;
  auto [report, code, not_saved] = solve_loaded(request, loaded, messages);
  messages.status("");
  add_reading(report, loaded, seconds);
  write_outputs(request, loaded.names, code, report, messages);
  if (not_saved) throw *not_saved;
  return code;
}

}  // namespace polyak::cli
