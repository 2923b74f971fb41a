#include "solve/disk_progress.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <system_error>

#include "cli/memory.hpp"
#include "cli/stopping.hpp"
#include "polyak/automatic_plan.hpp"
#include "polyak/shape.hpp"

namespace polyak::cli {
namespace {

constexpr auto look_every = std::chrono::milliseconds(250);
constexpr double long_sweep_s = 3.0;

std::string seconds_text(double seconds) {
  return seconds < 100.0 ? fmt::format("{:.2g} s", seconds)
         : seconds < 6e3 ? fmt::format("{:.0f} min", seconds / 60.0)
                         : fmt::format("{:.1f} h", seconds / 3600.0);
}

// The first method of auto, as far as the sizes tell it: a look may change the choice.
std::string expected_choice(const ProblemShape& shape, const SolveOptions& options) {
  const AutomaticPlan plan = automatic_plan(shape, options);
  if (plan.steps.empty()) return "";
  std::string out = "\npolyak: ";
  if (plan.rows_to_look_at > 0) out += fmt::format("{} rows first, then ", plan.rows_to_look_at);
  const AutomaticPlan::Step& first = plan.steps.front();
  out += first.method;
  if (first.reads > 0.0)
    out += fmt::format(": at most {:.0f} passes, {}", std::ceil(first.reads),
                       bytes_text(std::ceil(first.reads) * shape.bytes));
  return out + fmt::format(", about {} expected", seconds_text(first.seconds));
}

// Of a sweep, from two observations.
class Pace {
 public:
  // "43 % of pass 2, 1.1 GB/s, 2.5 s left"; empty between sweeps and for short ones.
  std::string observe(double sweeps, double bytes_of_pass, double now_s) {
    if (!(sweeps > sweeps_)) return "";
    const double pace = (sweeps - sweeps_) / (now_s - seconds_);  // passes per second
    sweeps_ = sweeps;
    seconds_ = now_s;
    mean_ = mean_ > 0.0 ? 0.8 * mean_ + 0.2 * pace : pace;
    if (mean_ * long_sweep_s > 1.0) return "";
    const double done = sweeps - std::floor(sweeps);
    return fmt::format("reading A, {:.0f} % of pass {:.0f}, {}/s, {} left", 100.0 * done,
                       std::floor(sweeps) + 1.0, bytes_text(mean_ * bytes_of_pass),
                       seconds_text((1.0 - done) / mean_));
  }

 private:
  double sweeps_ = 0.0, seconds_ = clock_s(), mean_ = 0.0;
};

}  // namespace

std::string expected_reads(const Problem& problem, const SolveOptions& options) {
  const ProblemShape shape = shape_of(problem);
  if (!shape.disk) return "";
  std::string out = fmt::format(
      "polyak: A stays on the disk: {}, {} a pass at {}/s, about {:.2g} single rows per second",
      bytes_text(shape.bytes), seconds_text(shape.bytes / shape.disk->sweep_bytes),
      bytes_text(shape.disk->sweep_bytes), shape.disk->single_rows);
  return options.method == "auto" ? out + expected_choice(shape, options) : out;
}

DiskProgress::DiskProgress(const RowMatrix& A, Progress& progress, std::mutex& mutex)
    : A_(A), progress_(progress), mutex_(mutex) {
  if (!disk_use(A)) return;
  const BlockSignals in_thread;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread, no progress
  }
}

DiskProgress::~DiskProgress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(ending_mutex_);
    ended_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void DiskProgress::watch() {
  Pace pace;
  std::unique_lock lock(ending_mutex_);
  while (!ending_.wait_for(lock, look_every, [this] { return ended_; })) {
    const double sweeps = disk_use(A_)->sweeps;
    const std::string text = pace.observe(sweeps, A_.bytes(), clock_s());
    if (text.empty()) continue;
    const std::unique_lock with_observers(mutex_, std::try_to_lock);
    if (with_observers) progress_.within(text);
  }
}

}  // namespace polyak::cli
