#include "cli/stopping.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

#include "polyak/signal_safe.hpp"
#include "program.hpp"
#include "ranks.hpp"

namespace polyak::cli {
namespace {

// Set by signal handlers, read by other threads.
std::atomic<int> received = 0;
std::atomic<bool> announced = false, snapshot_requested = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Never destroyed: a handler may run during exit.
sem_t* semaphore() {
  static sem_t one;
  static const int made = ::sem_init(&one, 0, 0);
  static_cast<void>(made);
  return &one;
}

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::string_view notice = "\npolyak: stopping; a second signal stops at once\n";

// For commands without a result to save: remove unfinished files, then end.
extern "C" void on_signal_at_once(int number) {
  remove_unfinished_outputs();
  ::signal(number, SIG_DFL);
  ::raise(number);  // delivered when this handler returns
}

extern "C" void on_signal(int number) {
  int none = 0;
  if (!received.compare_exchange_strong(none, number)) {
    remove_unfinished_outputs();
    ::_exit(128 + number);
  }
  ::sem_post(semaphore());
  if (announced) static_cast<void>(!::write(STDERR_FILENO, notice.data(), notice.size()));
}

extern "C" void on_snapshot_signal(int) { snapshot_requested = true; }

void catch_unless_ignored(int number, void (*handler)(int)) {
  struct sigaction action {};
  if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

double clock_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void prepare_process() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    catch_unless_ignored(number, on_signal_at_once);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  // Read-only, so that an output to a closed standard stream fails and is reported.
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
}

void catch_signals(bool announce) {
  announced = announce;
  semaphore();  // initialised before a handler can use it
  catch_unless_ignored(SIGINT, on_signal);
  catch_unless_ignored(SIGTERM, on_signal);
}

int signal_received() { return received; }

void wait_for_signal(double until_s) {
  if (std::isinf(until_s)) {
    ::sem_wait(semaphore());
    return;
  }
  const double whole = std::floor(until_s);
  const timespec moment{static_cast<time_t>(whole), static_cast<long>((until_s - whole) * 1e9)};
  ::sem_clockwait(semaphore(), CLOCK_MONOTONIC, &moment);
}

void wake_signal_wait() { ::sem_post(semaphore()); }

void catch_snapshot_signal() { catch_unless_ignored(SIGUSR1, on_snapshot_signal); }
bool snapshot_signal_received() { return snapshot_requested; }
void clear_snapshot_signal() { snapshot_requested = false; }

BlockSignals::BlockSignals() {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGINT);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

BlockSignals::~BlockSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int exit_code(Status status) {
  switch (status) {
    case Status::converged: return 0;
    case Status::limit:
    case Status::stagnated: return 3;
    case Status::diverged: return 4;
    case Status::interrupted: return 128 + signal_received();
  }
  return 70;
}

Watchdog::Watchdog(std::optional<double> limit_s, Messages& messages)
    : messages_(messages), limit_s_(limit_s), started_s_(clock_s()) {
  const BlockSignals block;  // inherited by the new thread: the main thread handles signals
  try {
    thread_ = std::thread([this] { wait(); });
  } catch (const std::system_error&) {
  }
}

double Watchdog::seconds() const { return clock_s() - started_s_; }

void Watchdog::set_phase(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
}

Watchdog::Guard Watchdog::finish_with(Finish finish) {
  const std::lock_guard lock(mutex_);
  finish_ = std::move(finish);
  return Guard(*this);
}

void Watchdog::begin_writing() {
  const std::lock_guard lock(mutex_);
  finish_ = nullptr;
  phase_ = "the results were written";
  writing_ = true;
}

void Watchdog::disarm() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    disarmed_ = true;
  }
  wake_signal_wait();
  thread_.join();
}

void Watchdog::wait() {
  constexpr double max_limit_s = 1e9;  // longer limits do not fit into timespec
  const double limit =
      limit_s_ && *limit_s_ < max_limit_s ? started_s_ + *limit_s_ + grace_s : never;
  double after_signal = never;
  for (;;) {
    wait_for_signal(std::min(limit, after_signal));
    const double now = clock_s();
    if (signal_received() != 0 && after_signal == never) after_signal = now + grace_s;
    const Status status = now >= after_signal ? Status::interrupted : Status::limit;
    if (now < std::min(limit, after_signal)) {
      if (disarmed_) return;
      continue;
    }
    return end_or_return(status);
  }
}

// Returns only if the command has come to its end in the meantime.
void Watchdog::end_or_return(Status status) {
  for (bool stalled = false;; stalled = !written_in_time(status)) {
    if (!lock_or_give_up()) ::_exit(exit_code(status));
    if (!disarmed_ && (!writing_ || stalled)) end_process(status);
    mutex_.unlock();
    if (disarmed_) return;
  }
}

// A result that is being written is worth waiting for, as long as something is written: at the
// time limit without end, after a signal for ten seconds.
bool Watchdog::written_in_time(Status status) const {
  constexpr double pipe_s = 0.3, file_s = 10.0, all_s = 10.0;
  constexpr useconds_t step_us = 10'000;
  const double start = clock_s();
  double last = start;
  for (std::uint64_t seen = output_bytes(); !disarmed_; ::usleep(step_us)) {
    const double now = clock_s();
    if (output_bytes() != seen) {
      seen = output_bytes();
      last = now;
    }
    if (now - last > (outputs_unfinished() ? file_s : pipe_s)) return false;
    if (status == Status::interrupted && now - start > all_s) return false;
  }
  return true;
}

// The thread that holds the mutex is writing: a checkpoint to a slow disk, which is
// worth waiting for, or a line to a pipe that nobody reads.
bool Watchdog::lock_or_give_up() {
  constexpr double timeout_s = 10.0;
  constexpr useconds_t step_us = 10'000;
  for (const double end = clock_s() + timeout_s; clock_s() < end; ::usleep(step_us))
    if (mutex_.try_lock()) return true;
  remove_unfinished_outputs();
  return false;
}

int Watchdog::finish(Status status) {
  messages_.status("");
  if (finish_) return finish_(status);
  const bool by_limit = status == Status::limit;
  const int code = writing_ && by_limit ? static_cast<int>(ErrorCode::io) : exit_code(status);
  throw Error(
      ErrorCode{code},
      {.what = fmt::format("{} while {}: {}",
                           by_limit ? fmt::format("the time limit of {:g} s was reached", *limit_s_)
                                    : "stopped on request",
                           phase_,
                           writing_ ? "those that were not complete are removed"
                                    : "there is no x yet, and nothing is written")});
}

// Results may go to a pipe that nobody reads.
void Watchdog::end_where_writing_stalls(Status status) {
  try {
    std::thread([this, status] {
      if (written_in_time(status)) return;
      remove_unfinished_outputs();
      ::_exit(exit_code(status));
    }).detach();
  } catch (const std::system_error&) {  // no thread can be created
  }
}

// With several ranks: a signal in the middle of a step may mean that another rank has
// died, so nothing is written. At the time limit the other ranks wait while rank 0
// writes, because mpirun ends all ranks as soon as one ends.
void Watchdog::end_process(Status status) {
  if (rank_count() > 1 && status == Status::interrupted) {
    remove_unfinished_outputs();
    ::_exit(exit_code(status));
  }
  constexpr useconds_t time_to_write_us = 400'000;
  if (rank() != 0) ::usleep(time_to_write_us);
  int code = static_cast<int>(ErrorCode::internal);
  if (finish_) end_where_writing_stalls(status);
  try {
    code = finish(status);
  } catch (...) {
    const Error error = as_error(std::current_exception());
    if (rank() == 0) messages_.error(error);
    code = static_cast<int>(error.code());
  }
  remove_unfinished_outputs();
  ::_exit(code);
}

}  // namespace polyak::cli
