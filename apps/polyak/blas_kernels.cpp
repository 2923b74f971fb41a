#include "blas_kernels.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

// OpenBLAS picks its kernels while it is loaded, before main. Releases older
// than the processor (0.3.21 in Debian 12) may not know its model number and
// fall back to Prescott, several times slower, although it has every
// instruction they need. The only cure is OPENBLAS_CORETYPE in the environment
// from the start; that it is set is also the sign that we have been here.
// Starting again costs some 15 ms: not where OpenBLAS chose well by itself. Its
// threads are then idle, and harmless but where address space is limited: one that
// is refused its buffer asks for it forever, and is waited for at the end.

// Weak: any other BLAS links as well.
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

}  // namespace

void choose_blas_kernels(char** argv) {
  if (openblas_get_corename == nullptr)
    return;  // loaded later, by the library, with the right kernels
  const char* kernels = kernels_for_this_cpu();
  if (kernels == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr ||
      (chose_well(kernels) && !address_space_is_limited()))
    return;
  ::setenv("OPENBLAS_CORETYPE", kernels, 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);  // the library's own team does the threading
  const char* self = "/proc/self/exe";
  std::error_code error;
  const auto name = std::filesystem::read_symlink(self, error);
  // By its own name, so that lists of processes show it, if that still is this program: a file
  // that was replaced meanwhile is not.
  if (!error && is_same_file(name.c_str(), self)) ::execv(name.c_str(), argv);
  ::execv(self, argv);
}

}  // namespace polyak::cli
