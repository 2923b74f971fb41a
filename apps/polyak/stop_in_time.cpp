#include "stop_in_time.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "polyak/signal_safe.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "signals.hpp"

namespace polyak::cli {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

StopInTime::StopInTime(std::optional<double> limit_s, Messages& messages)
    : messages_(messages), limit_s_(limit_s), started_s_(clock_s()) {
  const HoldSignals hold;  // the new thread leaves them to this one
  try {
    thread_ = std::thread([this] { wait(); });
  } catch (const std::system_error&) {
  }
}

double StopInTime::seconds() const { return clock_s() - started_s_; }

void StopInTime::in_phase(const std::string& phase) {
  const std::lock_guard lock(turn_);
  phase_ = phase;
}

StopInTime::Watch StopInTime::wind_up_by(WindUp wind_up) {
  const std::lock_guard lock(turn_);
  wind_up_ = std::move(wind_up);
  return Watch(*this);
}

void StopInTime::stand_down() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(turn_);
    standing_down_ = true;
  }
  wake_waiting();
  thread_.join();
}

void StopInTime::wait() {
  constexpr double longest_s = 1e9;  // that a clock of whole seconds can hold
  const double limit = limit_s_ && *limit_s_ < longest_s ? started_s_ + *limit_s_ + grace_s : never;
  double asked = never;
  for (;;) {
    wait_for_signal(std::min(limit, asked));
    const double now = clock_s();
    if (signal_received() != 0 && asked == never) asked = now + grace_s;
    const Status status = now >= asked ? Status::interrupted : Status::limit;
    if (now < std::min(limit, asked)) {
      if (standing_down_) return;
      continue;
    }
    if (!take_turn()) ::_exit(exit_code(status));
    if (!standing_down_) end(status);
    turn_.unlock();
    return;
  }
}

// Whoever has it is writing: a checkpoint to a slow disk, or a line to a pipe that nobody reads.
// The first is worth waiting for; what is not finished then is removed.
bool StopInTime::take_turn() {
  constexpr double patience_s = 10.0;
  constexpr useconds_t step_us = 10'000;
  for (const double end = clock_s() + patience_s; clock_s() < end; ::usleep(step_us))
    if (turn_.try_lock()) return true;
  remove_unfinished_outputs();
  return false;
}

int StopInTime::wind_up(Status status) {
  messages_.status("");
  if (wind_up_) return wind_up_(status);
  const int code = exit_code(status);
  throw Error(ErrorCode{code},
              {.what = fmt::format("{} while {}: there is no x yet, and nothing is written",
                                   status == Status::limit
                                       ? fmt::format("the time limit of {:g} s was reached", *limit_s_)
                                       : "stopped on request",
                                   phase_)});
}

// The other ranks give rank 0 time to write: when one of them ends, mpirun ends them all. Told to
// end in the middle of a step, ranks may have been told so because one of them has died: then
// nothing is written.
void StopInTime::end(Status status) {
  if (rank_count() > 1 && status == Status::interrupted) {
    remove_unfinished_outputs();
    ::_exit(exit_code(status));
  }
  constexpr useconds_t time_to_write_us = 400'000;
  if (rank() != 0) ::usleep(time_to_write_us);
  int code = static_cast<int>(ErrorCode::internal);
  try {
    code = wind_up(status);
  } catch (...) {
    const Error error = as_error(std::current_exception());
    if (rank() == 0) messages_.error(error);
    code = static_cast<int>(error.code());
  }
  remove_unfinished_outputs();
  ::_exit(code);
}

}  // namespace polyak::cli
