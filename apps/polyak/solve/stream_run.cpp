#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/memory.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "polyak/solve_stream.hpp"
#include "polyak/version.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

// Rows that are read once, from the first to the written outputs. A signal or the time limit ends
// it without x: that of some of the rows is not what was asked for.
class StreamRun {
 public:
  StreamRun(SolveRequest& request, Loaded& loaded, double read_s, Watchdog& watchdog,
            Messages& messages)
      : request_(request),
        loaded_(loaded),
        read_s_(read_s),
        watchdog_(watchdog),
        messages_(messages),
        next_line_s_(clock_s() + interval_s()) {}

  int run() {
    messages_.event({{"event", "start"},
                     {"command", "solve"},
                     {"version", version_string},
                     {"A", request_.A},
                     {"cols", loaded_.stream->cols()},
                     {"storage", "stream"},
                     {"method", request_.options.method}});
    catch_signals(messages_.live());
    const auto guard = watchdog_.finish_with([this](Status status) -> int { stop(status); });
    Report report = with_memory_for(request_.A, [&] {
      return solve_stream(*loaded_.stream, problem(), request_.options,
                          [this](Index rows) { progress(rows); });
    });
    check_inputs_unchanged();
    watchdog_.begin_writing();
    messages_.status("");
    complete(report);
    const int code = exit_code(report.status);
    write_outputs(request_, loaded_.names, code, report, messages_);
    return code;
  }

 private:
  StreamProblem problem() const {
    const ProblemData& data = loaded_.data;
    const ConstView shared = data.shared_weights.view();
    return {.b = data.b,
            .weights = data.shared_weights.empty()
                           ? data.weights
                           : std::vector<double>(shared.data, shared.data + shared.rows),
            .ridge = data.ridge,
            .intercept = data.intercept,
            .drop_nonfinite_rows = request_.data.drop_nonfinite_rows,
            .reference = data.reference};
  }

  [[noreturn]] void stop(Status status) const {
    const std::string why =
        status == Status::limit
            ? fmt::format("the time limit of {:g} s was reached", *request_.options.time_limit_s)
            : "stopped on request";
    throw Error(ErrorCode{exit_code(status)},
                {.what = fmt::format("{} while reading {}, after {} rows: there is no x yet, and "
                                     "nothing is written",
                                     why, request_.A, rows_.load())});
  }

  // By the thread that reads: signals, the limit, and a line now and then.
  void progress(Index rows) {
    rows_ = rows;
    if (signal_received() != 0) stop(Status::interrupted);
    const auto& limit = request_.options.time_limit_s;
    if (limit && watchdog_.seconds() > *limit) stop(Status::limit);
    const double now = clock_s();
    if (now < next_line_s_) return;
    next_line_s_ = now + interval_s();
    show();
  }

  double interval_s() const { return messages_.live() ? 0.2 : 5.0; }

  void show() {
    const std::lock_guard lock(watchdog_.mutex());
    const double seconds = watchdog_.seconds();
    const double bytes = loaded_.stream->text_bytes();
    std::string text = fmt::format("{} rows, {} of text, {:.0f} MB/s", rows_.load(),
                                   bytes_text(bytes), bytes / 1e6 / seconds);
    if (const auto share = loaded_.stream->share_read(); share && *share > 0.0)
      text += fmt::format(", {:.0f} %, {:.0f} s left", 100.0 * *share,
                          seconds * (1.0 - *share) / *share);
    if (messages_.live())
      messages_.status(text);
    else
      messages_.note("polyak: " + text);
  }

  void complete(Report& report) const {
    report.stream->inputs = loaded_.stream->inputs();
    report.stream->text_bytes = loaded_.stream->text_bytes();
    report.seconds.read += read_s_;
    report.seconds.total += read_s_;
    if (const std::string name = loaded_.stream->unended_input(); !name.empty())
      report.warnings.push_back("no newline ends the last row of " + name +
                                ": if its writer was cut off, the last number may be wrong");
    const Index dropped = report.stream->dropped_rows;
    if (dropped > 0)
      report.warnings.push_back(fmt::format("{} row{} with NaN, Inf or an empty cell dropped",
                                            dropped, dropped == 1 ? "" : "s"));
  }

  SolveRequest& request_;
  Loaded& loaded_;
  double read_s_;
  Watchdog& watchdog_;
  Messages& messages_;
  std::atomic<Index> rows_ = 0;
  double next_line_s_;
};

}  // namespace

int run_stream(SolveRequest& request, Loaded& loaded, double read_s, Watchdog& watchdog,
               Messages& messages) {
  return StreamRun(request, loaded, read_s, watchdog, messages).run();
}

}  // namespace polyak::cli
