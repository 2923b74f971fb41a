#include "blas_kernels.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

// OpenBLAS picks its kernels while it is loaded, before main. Releases older
// than the processor (0.3.21 in Debian 12) do not know its model number and
// fall back to Prescott, several times slower, although it has every
// instruction they need. The only cure is OPENBLAS_CORETYPE in the environment
// from the start; that it is set is also the sign that we have been here.

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

}  // namespace

void choose_blas_kernels(char** argv) {
  const char* kernels = kernels_for_this_cpu();
  if (kernels == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  ::setenv("OPENBLAS_CORETYPE", kernels, 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);  // the library's own team does the threading
  std::error_code error;                     // by its own name, so that lists of processes show it
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv(program.c_str(), argv);
}

}  // namespace polyak::cli
