#pragma once

// SIGINT and SIGTERM: the first asks the run to end, the second ends it. SIGUSR1
// asks it to save itself and go on.

#include <signal.h>

#include "polyak/report.hpp"

namespace polyak::cli {

/// Writing to a closed pipe and beyond the allowed file size become errors
/// instead of deaths, and standard streams that were closed read and write
/// nothing (or the next file opened would take their place).
void prepare_process();

/// From here on the first signal is noted only; `announce` tells it on standard
/// error. One that was ignored from the start stays ignored.
void catch_signals(bool announce);
/// The signal that came, or 0.
int signal_received();
/// Waits until a signal is noted, wake_waiting() is called, or the clock (CLOCK_MONOTONIC)
/// reaches that second; infinity is never.
void wait_for_signal(double until_s);
void wake_waiting();

/// From here on SIGUSR1 is noted too.
void catch_snapshot_signal();
bool snapshot_signal_received();
void forget_snapshot_signal();

/// While it lives, signals wait: nothing is torn from the middle of a file.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t before_;
};

/// For schedulers: try again later (EX_TEMPFAIL).
constexpr int interrupted_and_saved = 75;
/// The exit code of a run that ended so; interrupted, it tells by what.
int exit_code(Status status);

}  // namespace polyak::cli
