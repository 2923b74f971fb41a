#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/memory.hpp"
#include "cli/options.hpp"
#include "cli/stopping.hpp"
#include "polyak/io.hpp"
#include "polyak/methods.hpp"
#include "polyak/version.hpp"
#include "program.hpp"
#include "ranks.hpp"
#include "solve/disk_progress.hpp"
#include "solve/observers.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

std::string solve_ending() {
  std::string out = "\nMethods:\n";
  for (const MethodInfo& method : method_table())
    out += fmt::format("  {:<15} {}\n", method.name, method.summary);
  return out + R"(
Exit code: 0 converged, 3 limit reached or stagnated (x is written), 4 diverged,
2 wrong usage, 65 bad data, 66 no such file, 71 out of memory, 74 reading or
writing failed, 75 interrupted and saved by --checkpoint, 130 and 143 interrupted
without (x is written either way).

With --log-format json, standard error holds one object per line ("event" is
start, resume, measure, checkpoint, warning, finish or error) and standard output
the report.

Examples:
  polyak solve A.npy b.npy --output x.npy
  polyak solve A.mtx b.mtx --method minibatch-hbm --batch 500 --history h.csv
  polyak solve houses.csv --rhs-column price --intercept
  gunzip -c A.mtx.gz | polyak solve - b.npy --tol 1e-10 --report report.json
  polyak solve 'part-*.csv.gz' --rhs-column price --intercept
  cat part-*.csv | polyak solve - --rhs-column price --intercept
  polyak solve A.npy b.npy --checkpoint run.ckpt --resume auto --output x.npy
)";
}

Usage solve_usage() {
  return {.command = "solve",
          .positionals = {"A", "b"},
          .required = 1,
          .text =
              R"(Find x that minimises |Ax - b|. Most methods read a few rows of A at a time.

Usage: polyak solve A b [options]
       polyak solve TABLE.csv... --rhs-column NAME [--intercept] [options]
       polyak solve TABLE.parquet --rhs-column NAME [--intercept] [options]
       polyak solve TABLE.svm [options]
       polyak solve DATA.mat [options]

A, b and every other FILE are .mtx, .npy, .csv, .tsv, .svm (also .mtx.gz,
.csv.gz, .csv.zst, .svm.gz), .parquet, .h5 (as file.h5:/dataset), .mat
(file.mat:variable), .npz (file.npz:name), .petsc, or - for standard input. An .h5,
.mat or .npz file with arrays A and b is enough by itself, and so is a .petsc file of
a matrix and a vector. Several .csv or .tsv with the same columns, or a pattern in
quotes that matches them, are one table. Text that does not fit into memory, and a
long pipe, is read once (--storage stream).
)",
          .ending = solve_ending(),
          .several_with = "rhs-column"};
}

std::string sizes(const ProblemData& data) {
  return fmt::format("A is {} x {}, {} entries, {:.3g} MB", data.A->rows(), data.A->cols(),
                     data.A->nonzeros(), data.A->bytes() / 1e6);
}

void log_start(const SolveRequest& request, const ProblemData& data, Messages& messages) {
  messages.event({{"event", "start"},
                  {"command", "solve"},
                  {"version", version_string},
                  {"A", request.A},
                  {"rows", data.A->rows()},
                  {"cols", data.A->cols()},
                  {"nnz", data.A->nonzeros()},
                  {"method", request.options.method}});
}

void add_reading(Report& report, const Loaded& loaded, double seconds) {
  report.seconds.read = seconds;
  report.seconds.total += seconds;
  if (loaded.dropped_rows == 0) return;
  report.warnings.push_back(fmt::format("{} row{} with NaN, Inf or an empty cell dropped",
                                        loaded.dropped_rows, loaded.dropped_rows == 1 ? "" : "s"));
}

// From the loaded data to the written outputs.
class SolveRun {
 public:
  SolveRun(SolveRequest& request, const Loaded& loaded, double read_s, Watchdog& watchdog,
           Messages& messages)
      : request_(request),
        loaded_(loaded),
        read_s_(read_s),
        watchdog_(watchdog),
        messages_(messages) {}

  int run() {
    return with_memory_for(sizes(loaded_.data), [&] {
      const Problem problem(loaded_.data);
      check_working_memory(request_, problem);
      log_start(request_, loaded_.data, messages_);
      if (const std::string text = expected_reads(problem, request_.options); !text.empty())
        messages_.note(text);
      messages_.status("preparing");
      catch_signals(messages_.live());
      Progress progress(messages_, problem.rows());
      const auto print = [&] { return fingerprint(problem, request_.options); };
      Checkpointing saver(request_.checkpoint, print, progress, messages_);
      return solve_watched(problem, saver, progress);
    });
  }

 private:
  int solve_watched(const Problem& problem, Checkpointing& saver, Progress& progress) {
    RunRecord record(saver, watchdog_.mutex(), KeptIterate::least_residual);
    request_.options.time_spent_s = watchdog_.seconds();  // before the watchdog may read them
    const auto guard = watchdog_.finish_with(
        [&](Status status) { return finish_in_step(problem, record, saver, status); });
    Report report;
    {
      const DiskProgress sweeps(problem.A(), progress, watchdog_.mutex());
      report = solve(problem, request_.options, &record, saver.resumed());
    }
    check_inputs_unchanged();
    rank() == 0 ? watchdog_.begin_writing() : watchdog_.disarm();
    const int code = saver.exit_code(report.status);
    messages_.status("");
    write(request_, code, report, &problem);
    if (saver.failure()) throw *saver.failure();
    return code;
  }

  // The watchdog ends the run in the middle of a step. A run that resumed from a checkpoint and
  // has measured nothing since leaves --output as it is: it may be better than the start.
  int finish_in_step(const Problem& problem, const RunRecord& record, const Checkpointing& saver,
                     Status status) {
    check_inputs_unchanged();
    Report report = report_of(record, problem, request_.options, status);
    report.seconds.total = watchdog_.seconds() - read_s_;
    SolveRequest request = request_;
    if (saver.resumed() != nullptr && !record.has_x()) {
      report.reason += "; --output is left as it was";
      request.outputs.output.reset();
    }
    const int code = saver.exit_code_in_step(status);
    write(request, code, report);
    return code;
  }

  void write(const SolveRequest& request, int code, Report& report,
             const Problem* problem = nullptr) {
    add_reading(report, loaded_, read_s_);
    write_outputs(request, loaded_.names, code, report, messages_, problem);
  }

  SolveRequest& request_;
  const Loaded& loaded_;
  double read_s_;
  Watchdog& watchdog_;
  Messages& messages_;
};

}  // namespace

int solve_command(const Words& words, Messages& messages) {
  SolveRequest request;
  const OptionSet options = solve_option_set(request);
  const Parsed parsed = parse(words, options, solve_usage());
  if (parsed.help) return print(help_text(solve_usage(), options)), 0;
  messages.configure(request.messages);
  set_inputs(parsed.positionals, request);
  check_request(request);
  if (rank_count() > 1 && request.options.threads == 0) request.options.threads = 1;
  if (request.machine.dry_run) return dry_run(request, messages), 0;
  check_input_memory(request);

  messages.status("reading " + request.A);
  Watchdog watchdog(request.options.time_limit_s, messages);
  watchdog.set_phase("reading " + request.A);
  Loaded loaded = with_memory_for(request.A, [&] { return load(request); });
  if (loaded.stream) return run_stream(request, loaded, watchdog.seconds(), watchdog, messages);
  watchdog.set_phase("preparing");
  return SolveRun(request, loaded, watchdog.seconds(), watchdog, messages).run();
}

}  // namespace polyak::cli
