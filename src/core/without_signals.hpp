#pragma once

#include <signal.h>

#include <initializer_list>

namespace polyak::internal {

/// Threads started during its lifetime receive no signals: those are handled by the threads of
/// the program. Signals that a thread causes itself (SIGBUS, SIGSEGV, …) are not blocked.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t others;
    ::sigfillset(&others);
    for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
      ::sigdelset(&others, own);
    ::pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace polyak::internal
