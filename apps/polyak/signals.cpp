#include "signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "polyak/signal_safe.hpp"

namespace polyak::cli {
namespace {

volatile sig_atomic_t received = 0;
volatile sig_atomic_t announced = 0;
volatile sig_atomic_t snapshot_asked = 0;

constexpr std::string_view notice = "\npolyak: stopping; once more stops at once\n";

// Of commands that have nothing to wind up: what they were writing goes, and then they do.
extern "C" void on_signal_at_once(int number) {
  remove_unfinished_outputs();
  ::signal(number, SIG_DFL);
  ::raise(number);  // comes when this returns
}

extern "C" void on_signal(int number) {
  if (received != 0) {
    remove_unfinished_outputs();
    ::_exit(128 + number);
  }
  received = number;
  if (announced != 0) static_cast<void>(!::write(STDERR_FILENO, notice.data(), notice.size()));
}

extern "C" void on_snapshot_signal(int) { snapshot_asked = 1; }

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
  announced = announce ? 1 : 0;
  catch_unless_ignored(SIGINT, on_signal);
  catch_unless_ignored(SIGTERM, on_signal);
}

int signal_received() { return received; }

void catch_snapshot_signal() { catch_unless_ignored(SIGUSR1, on_snapshot_signal); }
bool snapshot_signal_received() { return snapshot_asked != 0; }
void forget_snapshot_signal() { snapshot_asked = 0; }

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
