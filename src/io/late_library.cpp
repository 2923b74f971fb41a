#include "io/late_library.hpp"

#include <dlfcn.h>

#include <new>

#include "polyak/error.hpp"

namespace polyak::io {

// Two threads may load it at the same time: the loader gives both the same handle.
void* LateLibrary::handle() const {
  if (void* const known = handle_.load(std::memory_order_acquire)) return known;
  void* const loaded = ::dlopen(file_, RTLD_LAZY | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* const why = ::dlerror();
    refuse(why == nullptr ? "out of memory" : why);
  }
  handle_.store(loaded, std::memory_order_release);
  return loaded;
}

void* LateLibrary::address(const char* name) const {
  if (void* const found = ::dlsym(handle(), name)) return found;
  refuse(std::string("it has no ") + name);
}

// In a program that links the library as well, the variable may be a copy in the program, which
// the library then uses in place of its own.
void* LateLibrary::variable(const char* name) const {
  void* const own = address(name);
  void* const used = ::dlsym(RTLD_DEFAULT, name);
  return used == nullptr ? own : used;
}

void LateLibrary::refuse(const std::string& why) const {
  for (const char* sign : {"memory", "failed to map", "cannot map", "cannot create"})
    if (why.find(sign) != std::string::npos) throw std::bad_alloc();
  throw Error(ErrorCode::internal,
              {.what = "a library that files of this format need cannot be loaded",
               .where = file_,
               .found = why,
               .hint = std::string("install it (Debian: ") + package_ + ")"});
}

}  // namespace polyak::io
