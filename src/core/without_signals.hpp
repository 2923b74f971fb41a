#pragma once

#include <signal.h>

#include <initializer_list>

namespace polyak {

/// Threads that are begun while it lives take no signals: those are for the threads of the
/// program. What a thread brings upon itself (SIGBUS, SIGSEGV, …) still comes.
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

}  // namespace polyak
