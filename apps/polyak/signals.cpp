#include "signals.hpp"

#include <fcntl.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <string_view>

#include "polyak/signal_safe.hpp"

namespace polyak::cli {
namespace {

// Handlers run in one thread and are heard in others.
std::atomic<int> received = 0;
std::atomic<bool> announced = false, snapshot_asked = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Never destroyed: a handler may come late.
sem_t* semaphore() {
  static sem_t one;
  static const int made = ::sem_init(&one, 0, 0);
  static_cast<void>(made);
  return &one;
}

constexpr std::string_view notice = "\npolyak: stopping; once more stops at once\n";

// Of commands that have nothing to wind up: what they were writing goes, and then they do.
extern "C" void on_signal_at_once(int number) {
  remove_unfinished_outputs();
  ::signal(number, SIG_DFL);
  ::raise(number);  // comes when this returns
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

extern "C" void on_snapshot_signal(int) { snapshot_asked = true; }

void catch_unless_ignored(int number, void (*handler)(int)) {
  struct sigaction action {};
  if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void prepare_process() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) catch_unless_ignored(number, on_signal_at_once);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  // A closed descriptor is taken, so that no file gets it, but nothing can be written there:
  // whoever asked for an output on it is to hear of that.
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
}

void catch_signals(bool announce) {
  announced = announce;
  semaphore();  // made before a handler can want it
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

void wake_waiting() { ::sem_post(semaphore()); }

void catch_snapshot_signal() { catch_unless_ignored(SIGUSR1, on_snapshot_signal); }
bool snapshot_signal_received() { return snapshot_asked; }
void forget_snapshot_signal() { snapshot_asked = false; }

HoldSignals::HoldSignals() {
  sigset_t held;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGINT);
  ::sigaddset(&held, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HoldSignals::~HoldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

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

}  // namespace polyak::cli
