#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "polyak/error.hpp"
#include "program.hpp"

// OpenBLAS chooses its kernels while it is loaded, before main. A release older than
// the processor (0.3.21 in Debian 12) may not know its model number and falls back to
// Prescott kernels, several times slower, although the processor has all instructions
// that better kernels need. The remedy is to set OPENBLAS_CORETYPE and start the
// program again; the variable also shows that this has been done. It costs about 15 ms,
// so it is skipped if OpenBLAS chose well. The threads of OpenBLAS then stay idle. They
// do harm only if the address space is limited: a thread that gets no buffer retries
// forever, and exit() waits for it.

// Weak, so that the program links with any other BLAS too.
extern "C" char* openblas_get_corename(void) __attribute__((weak));

namespace polyak::cli {
namespace {

const char* kernels_for_this_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

bool address_space_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

bool chose_well(std::string_view wanted) {
  if (openblas_get_corename == nullptr) return false;
  constexpr std::string_view avx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::string_view avx2[] = {"Haswell", "Zen"};
  const std::string_view own = openblas_get_corename();
  const auto in = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), own) != std::end(list);
  };
  return in(avx512) || (wanted == "Haswell" && in(avx2));
}

bool is_same_file(const char* a, const char* b) {
  struct stat of_a {
  }, of_b{};
  return ::stat(a, &of_a) == 0 && ::stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

// OpenBLAS starts its threads while it is loaded, and raises SIGINT if the system refuses
// one. SIGINT is blocked before that, so that main can tell this signal from a real one.
sigset_t mask_before;
[[maybe_unused]] void block_interrupt(int, char**, char**) {
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupt, &mask_before);
}
#if defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)  // sanitizers start earlier still
#define POLYAK_BLOCKS_INTERRUPT
[[gnu::used,
  gnu::section(".preinit_array")]] void (*const before_libraries)(int, char**,
                                                                  char**) = block_interrupt;
#endif

}  // namespace

void choose_blas_kernels(char** argv) {
  if (openblas_get_corename == nullptr) return;  // the library loads it, with suitable kernels
  const char* kernels = kernels_for_this_cpu();
  if (kernels == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr ||
      (chose_well(kernels) && !address_space_is_limited()))
    return;
  ::setenv("OPENBLAS_CORETYPE", kernels, 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);  // the library's own team does the threading
  const char* self = "/proc/self/exe";
  std::error_code error;
  const auto name = std::filesystem::read_symlink(self, error);
  // By its own name, for lists of processes, unless the file was replaced meanwhile.
  if (!error && is_same_file(name.c_str(), self)) ::execv(name.c_str(), argv);
  ::execv(self, argv);
}

void check_blas_threads() {
#ifdef POLYAK_BLOCKS_INTERRUPT
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  siginfo_t info{};
  const timespec at_once{};
  const bool pending = ::sigtimedwait(&interrupt, &info, &at_once) == SIGINT;
  ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  if (pending && info.si_pid == ::getpid())
    throw Error(ErrorCode::out_of_memory, {.what = "the system refused a thread",
                                           .where = "OpenBLAS",
                                           .hint = "see ulimit -u, or set OPENBLAS_NUM_THREADS=1"});
  if (pending) ::raise(SIGINT);
#endif
}

}  // namespace polyak::cli
