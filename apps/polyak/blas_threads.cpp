#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "blas_kernels.hpp"
#include "polyak/error.hpp"

namespace polyak::cli {
namespace {

// OpenBLAS starts its threads while it is loaded, and where the system refuses one it raises
// SIGINT. Held back from before that, the signal can be told from a real one in main.
sigset_t mask_before;
[[maybe_unused]] void hold_interrupt(int, char**, char**) {
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupt, &mask_before);
}
#if defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)  // sanitizers are there earlier still
#define POLYAK_HOLDS_INTERRUPT
[[gnu::used, gnu::section(".preinit_array")]] void (*const before_libraries)(int, char**, char**) =
    hold_interrupt;
#endif

}  // namespace

void check_blas_threads() {
#ifdef POLYAK_HOLDS_INTERRUPT
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  siginfo_t told{};
  const timespec at_once{};
  const bool came = ::sigtimedwait(&interrupt, &told, &at_once) == SIGINT;
  ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  if (came && told.si_pid == ::getpid())
    throw Error(ErrorCode::out_of_memory, {.what = "the system refused a thread",
                                           .where = "OpenBLAS",
                                           .hint = "see ulimit -u, or set OPENBLAS_NUM_THREADS=1"});
  if (came) ::raise(SIGINT);
#endif
}

}  // namespace polyak::cli
