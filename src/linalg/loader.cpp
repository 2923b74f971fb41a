#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "linalg/vendor.hpp"
#include "polyak/blas.hpp"
#include "polyak/error.hpp"

// OpenBLAS is loaded at the first call, not when the program starts: it chooses its kernels
// while it is loaded, from OPENBLAS_CORETYPE or from the model number of the processor. Releases
// older than the processor (0.3.21 in Debian 12) may not know that number and take kernels of
// 2004, several times slower, although the processor has every instruction that better ones
// need. Such a choice is noticed here, and the library is loaded again with a better one.
// A BLAS that the process has loaded already is used as it is, unless the caller has named one
// (polyak/blas.hpp): the process may need the other with its own number of threads.

namespace polyak {

#ifdef POLYAK_LINK_BLAS

void* blas_symbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

bool use_blas_library(BlasLibrary) { return false; }

#else
namespace {

// The library to load, and whether the caller has named it.
class Choice {
 public:
  static Choice& of_process() {
    static Choice one;
    return one;
  }
  bool set(BlasLibrary library) {
    const std::lock_guard lock(mutex_);
    if (in_use_) return false;
    library_ = std::move(library);
    named_ = true;
    return true;
  }
  /// No other choice can be made after this.
  const BlasLibrary& use() {
    const std::lock_guard lock(mutex_);
    in_use_ = true;
    return library_;
  }
  bool named() const { return named_; }

 private:
  std::mutex mutex_;
  BlasLibrary library_{POLYAK_BLAS_LIBRARY};
  bool named_ = false, in_use_ = false;
};

const char* kernels_for_this_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_fast_here(std::string_view core) {
  const char* wanted = kernels_for_this_cpu();
  if (wanted == nullptr || is_one_of(core, {"SkylakeX", "Cooperlake", "SapphireRapids"}))
    return true;
  return std::string_view(wanted) == "Haswell" && is_one_of(core, {"Haswell", "Zen"});
}

// The environment while OpenBLAS is loaded: one thread, so that it starts none of its own, and
// kernels by name if asked for. The process keeps its variables: `environ` is another list
// meanwhile, and threads that read a variable find either list whole.
class LoadEnvironment {
 public:
  explicit LoadEnvironment(const char* kernels) : before_(environ) {
    if (kernels != nullptr) core_ += kernels;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      if (!std::string_view(*entry).starts_with("OPENBLAS_NUM_THREADS="))
        entries_.push_back(*entry);
    }
    entries_.push_back(threads_.data());
    if (kernels != nullptr) entries_.push_back(core_.data());
    entries_.push_back(nullptr);
    environ = entries_.data();
  }
  ~LoadEnvironment() { environ = before_; }
  LoadEnvironment(const LoadEnvironment&) = delete;
  LoadEnvironment& operator=(const LoadEnvironment&) = delete;

 private:
  char** before_;
  std::string threads_ = "OPENBLAS_NUM_THREADS=1", core_ = "OPENBLAS_CORETYPE=";
  std::vector<char*> entries_;
};

[[noreturn]] void refuse(const BlasLibrary& library, const std::string& why) {
  for (const char* sign : {"memory", "failed to map", "cannot map", "cannot create"}) {
    if (why.find(sign) != std::string::npos) throw std::bad_alloc();
  }
  throw Error(ErrorCode::internal, {.what = "cannot be loaded: " + why,
                                    .where = library.path,
                                    .hint = "install OpenBLAS (Debian: libopenblas0)"});
}

void* load(const BlasLibrary& library, const char* kernels) {
  const LoadEnvironment environment(kernels);
  void* handle = ::dlopen(library.path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* why = ::dlerror();
  refuse(library, why == nullptr ? "out of memory" : why);
}

bool chose_fast_kernels(const BlasLibrary& library, void* handle) {
  const std::string name = library.prefix + "openblas_get_corename";
  auto* core = reinterpret_cast<char* (*)()>(::dlsym(handle, name.c_str()));
  return core == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr || is_fast_here(core());
}

// The program, or a library that it has loaded, brings a BLAS and a LAPACK that all may use.
bool process_has_one() {
  return ::dlsym(RTLD_DEFAULT, "dgemm_") != nullptr && ::dlsym(RTLD_DEFAULT, "dgelsd_") != nullptr;
}

// The handle for dlsym.
void* find_library(const BlasLibrary& library, bool named) {
  if (!named && process_has_one()) return RTLD_DEFAULT;
  if (void* loaded = ::dlopen(library.path.c_str(), RTLD_NOW | RTLD_NOLOAD)) return loaded;
  require_blas_buffer();
  void* handle = load(library, nullptr);
  if (chose_fast_kernels(library, handle)) return handle;
  ::dlclose(handle);  // unloads it: no thread of it runs and nobody else has it
  return load(library, kernels_for_this_cpu());
}

}  // namespace

void* blas_symbol(const char* name) {
  Choice& choice = Choice::of_process();
  static const BlasLibrary& library = choice.use();
  static void* const handle = find_library(library, choice.named());
  return library.prefix.empty() ? ::dlsym(handle, name)
                                : ::dlsym(handle, (library.prefix + name).c_str());
}

bool use_blas_library(BlasLibrary library) { return Choice::of_process().set(std::move(library)); }

#endif

void* required_blas_symbol(const char* name) {
  if (void* found = blas_symbol(name)) return found;
  throw Error(ErrorCode::internal, {.what = "the BLAS in use has no such routine", .where = name});
}

}  // namespace polyak
