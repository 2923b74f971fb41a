#include "linalg/vendor.hpp"

#include <sys/mman.h>

#include <mutex>
#include <new>

#ifdef __SSE2__
#include <immintrin.h>
#endif

// OpenBLAS's own functions. Where BLAS is linked they may be missing (another BLAS), hence weak;
// where it is loaded they are looked up in that library only, since the process may have another.
extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
int openblas_get_parallel(void) __attribute__((weak));
char* openblas_get_config(void) __attribute__((weak));
char* openblas_get_corename(void) __attribute__((weak));
}

namespace polyak::internal {
namespace {

template <class Function>
Function* find([[maybe_unused]] Function* linked, const char* name) {
#ifdef POLYAK_LINK_BLAS
  if (linked != nullptr) return linked;
#endif
  return reinterpret_cast<Function*>(blas_symbol(name));
}

// How many threads OpenBLAS has belongs to the process: it is set to one while somebody here is
// at work, and back to what it was by the last to leave.
class BlasThreads {
 public:
  static BlasThreads& all() {
    static BlasThreads one;
    return one;
  }
  bool known() const { return set_ != nullptr && get_ != nullptr; }

  /// Returns what leave() needs.
  int enter() {
    if (per_caller_) return swap(1);
    const std::lock_guard lock(mutex_);
    if (inside_++ == 0) before_ = swap(1);
    return 1;
  }
  void leave(int before) {
    if (per_caller_) {
      swap(before);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) swap(before_);
  }

 private:
  int swap(int threads) {
    const int before = get_();
    if (before != threads) set_(threads);
    return before;
  }
  // An OpenBLAS on OpenMP takes its number of threads from the calling thread.
  static bool counts_per_caller() {
    constexpr int openmp = 2;
    auto* parallel = find(openblas_get_parallel, "openblas_get_parallel");
    return parallel != nullptr && parallel() == openmp;
  }

  void (*set_)(int) = find(openblas_set_num_threads, "openblas_set_num_threads");
  int (*get_)() = find(openblas_get_num_threads, "openblas_get_num_threads");
  bool per_caller_ = counts_per_caller();
  std::mutex mutex_;
  int inside_ = 0, before_ = 1;
};

void require_buffer_once() {
  thread_local const bool done = (require_blas_buffer(), true);
  static_cast<void>(done);
}

// The first two words of "OpenBLAS 0.3.21 NO_LAPACK DYNAMIC_ARCH …".
std::string product(const std::string& config) {
  const auto space = config.find(' ');
  return space == std::string::npos ? config : config.substr(0, config.find(' ', space + 1));
}

}  // namespace

// OpenBLAS takes a buffer of 128 MiB for each thread that calls it, and asks
// for it again and again, forever, when memory is refused. So it is asked for
// here first, where a refusal can be reported.
void require_blas_buffer() {
  constexpr std::size_t size = std::size_t{136} << 20;
  void* probe = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) throw std::bad_alloc();
  munmap(probe, size);
}

#ifdef __SSE2__
namespace {
constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040, raised = 0x003f;
unsigned flush() {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | flush_to_zero | denormals_are_zero);
  return before;
}
// What was raised meanwhile (inexact, overflow) stays raised, as after any arithmetic.
void flush_no_more(unsigned before) { _mm_setcsr((before & ~raised) | (_mm_getcsr() & raised)); }
}  // namespace
#else
namespace {
unsigned flush() { return 0; }
void flush_no_more(unsigned) {}
}  // namespace
#endif

BlasCall::BlasCall() {
  if (BlasThreads::all().known()) {
    require_buffer_once();
    threads_ = BlasThreads::all().enter();
  }
  mode_ = flush();
}

BlasCall::~BlasCall() {
  flush_no_more(mode_);
  if (BlasThreads::all().known()) BlasThreads::all().leave(threads_);
}

std::string blas_name() {
  auto* config = find(openblas_get_config, "openblas_get_config");
  auto* core = find(openblas_get_corename, "openblas_get_corename");
  if (config == nullptr) return "BLAS";
  const std::string name = product(config());
  return core == nullptr ? name : name + ", " + core() + " kernels";
}

}  // namespace polyak::internal
