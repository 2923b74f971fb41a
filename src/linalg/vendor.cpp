#include "linalg/vendor.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <mutex>
#include <new>

#ifdef __SSE2__
#include <immintrin.h>
#endif

// OpenBLAS's own functions. Weak, so that any other BLAS links as well; looked
// up by name too, because OpenBLAS may sit behind a generic libblas.
extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
int openblas_get_parallel(void) __attribute__((weak));
char* openblas_get_config(void) __attribute__((weak));
char* openblas_get_corename(void) __attribute__((weak));
}

namespace polyak {
namespace {

template <class Function>
Function* find(Function* linked, const char* name) {
  if (linked != nullptr) return linked;
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

using SetThreads = void(int);

SetThreads* thread_setter() {
  static SetThreads* const set = find(openblas_set_num_threads, "openblas_set_num_threads");
  return set;
}

// An OpenBLAS on OpenMP takes its number of threads from the calling thread.
bool counts_per_thread() {
  constexpr int openmp = 2;
  auto* parallel = find(openblas_get_parallel, "openblas_get_parallel");
  return parallel != nullptr && parallel() == openmp;
}

// OpenBLAS takes a buffer of 128 MiB for each thread that calls it, and asks
// for it again and again, forever, when memory is refused. So it is asked for
// here first, where a refusal can be told.
void require_buffer() {
  constexpr std::size_t size = std::size_t{136} << 20;
  void* probe = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) throw std::bad_alloc();
  munmap(probe, size);
}

bool prepare_thread() {
  static std::once_flag once;
  static bool per_thread = false;
  std::call_once(once, [] {
    if (thread_setter() == nullptr) return;
    thread_setter()(1);
    per_thread = counts_per_thread();
  });
  if (per_thread) thread_setter()(1);
  if (thread_setter() != nullptr) require_buffer();
  return true;
}

// The first two words of "OpenBLAS 0.3.21 NO_LAPACK DYNAMIC_ARCH …".
std::string product(const std::string& config) {
  const auto space = config.find(' ');
  return space == std::string::npos ? config : config.substr(0, config.find(' ', space + 1));
}

}  // namespace

void use_one_blas_thread() {
  thread_local const bool done = prepare_thread();
  static_cast<void>(done);
}

#ifdef __SSE2__
BlasCall::BlasCall() {
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  use_one_blas_thread();
  mode_ = _mm_getcsr();
  _mm_setcsr(mode_ | flush_to_zero | denormals_are_zero);
}
// What was raised meanwhile (inexact, overflow) stays raised, as after any arithmetic.
BlasCall::~BlasCall() {
  constexpr unsigned raised = 0x003f;
  _mm_setcsr((mode_ & ~raised) | (_mm_getcsr() & raised));
}
#else
BlasCall::BlasCall() { use_one_blas_thread(); }
BlasCall::~BlasCall() = default;
#endif

std::string blas_name() {
  auto* config = find(openblas_get_config, "openblas_get_config");
  auto* core = find(openblas_get_corename, "openblas_get_corename");
  if (config == nullptr) return "BLAS";
  const std::string name = product(config());
  return core == nullptr ? name : name + ", " + core() + " kernels";
}

}  // namespace polyak
