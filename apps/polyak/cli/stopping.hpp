#pragma once

// How a running command stops: on SIGINT and SIGTERM, on SIGUSR1 (save a checkpoint
// and continue), and when the time limit is reached.

#include <signal.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/messages.hpp"
#include "polyak/report.hpp"

namespace polyak::cli {

/// Seconds on the monotonic clock.
double clock_s();

/// From this call on the first SIGINT or SIGTERM is only recorded, and the second
/// ends the process. With `announce` the handler writes a notice to standard error.
/// A signal that was ignored when the program started stays ignored.
void catch_signals(bool announce);
/// The recorded signal, or 0.
int signal_received();
/// Waits until a signal is recorded, wake_signal_wait() is called, or the monotonic
/// clock reaches `until_s`; infinity means no time limit.
void wait_for_signal(double until_s);
void wake_signal_wait();

/// From this call on SIGUSR1 is recorded too.
void catch_snapshot_signal();
bool snapshot_signal_received();
void clear_snapshot_signal();

/// Blocks SIGINT and SIGTERM in this thread, and those that it starts, while it lives.
class BlockSignals {
 public:
  BlockSignals();
  ~BlockSignals();
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

/// Exit code EX_TEMPFAIL: a scheduler may start the command again later.
constexpr int interrupted_and_saved = 75;
/// The exit code for this status; if interrupted, 128 + the signal number.
int exit_code(Status status);

/// Ends the command within a second after a signal or the time limit. Between
/// iterations the solver checks both and returns by itself; but a factorisation, a
/// sweep over a slow file or a call of another library may take minutes without
/// such a check. A second thread waits for grace_s, then writes the best result
/// available and ends the process.
class Watchdog {
 public:
  /// The time the solver gets to return by itself.
  static constexpr double grace_s = 0.4;

  /// Writes the available result and returns the exit code. The status is limit or
  /// interrupted.
  using Finish = std::function<int(Status)>;

  /// The time limit counts from here. Without effect if no thread can be created.
  Watchdog(std::optional<double> limit_s, Messages& messages);
  /// Disarms. Does not return if the watchdog is already ending the process.
  ~Watchdog() { disarm(); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Names the phase for the error message that is written as long as there is no
  /// result ("reading A.npy").
  void set_phase(const std::string& phase);

  /// Disarms the watchdog at the end of a scope, before the objects that `finish`
  /// refers to are destroyed.
  class [[nodiscard]] Guard {
   public:
    explicit Guard(Watchdog& owner) : owner_(owner) {}
    ~Guard() { owner_.disarm(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Watchdog& owner_;
  };
  /// From this call on, and while the result lives, `finish` ends the command.
  Guard finish_with(Finish finish);
  /// From this call on the command writes its results: it is ended where a pipe or device takes
  /// nothing for a moment, or a file for ten seconds, after a signal or the time limit.
  void begin_writing();
  void disarm();

  /// To be locked while data that `finish` reads is changed or used. Once the
  /// watchdog ends the process it holds the mutex for ever.
  std::mutex& mutex() { return mutex_; }
  double seconds() const;  ///< since construction

 private:
  void wait();
  void end_or_return(Status status);
  bool written_in_time(Status status) const;
  bool lock_or_give_up();
  void end_where_writing_stalls(Status status);
  [[noreturn]] void end_process(Status status);
  int finish(Status status);

  Messages& messages_;
  std::optional<double> limit_s_;
  double started_s_;
  std::mutex mutex_;
  std::string phase_;
  Finish finish_;
  std::atomic<bool> disarmed_ = false, writing_ = false;
  std::thread thread_;
};

}  // namespace polyak::cli
