#include "backend/device_library.hpp"

#include <dlfcn.h>

#include <charconv>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "polyak/devices.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak::internal {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libpolyak_cuda.so";
constexpr const char* kind = "cuda";

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage,
              {.what = what, .where = option_name("device"), .found = kind, .hint = hint});
}

// Folders of the library that this code is in and of the program; the same where it is linked
// statically.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> out;
  Dl_info here;
  if (::dladdr(reinterpret_cast<const void*>(&cuda_library), &here) != 0 && here.dli_fname)
    if (const fs::path file(here.dli_fname); file.has_parent_path())
      out.push_back(file.parent_path());
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) out.push_back(program.parent_path());
  return out;
}

// A path of the library that exists, or its name alone for the loader's own search.
std::string library_path() {
  for (const fs::path& folder : own_folders())
    for (const fs::path& file : {folder / library_name, folder / ".." / "lib" / library_name}) {
      std::error_code failed;
      if (fs::exists(file, failed)) return file.string();
    }
  return library_name;
}

const device::Library& load() {
  const std::string path = library_path();
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    const bool absent = path == library_name;
    refuse(absent ? std::string("there is no ") + library_name + ", which CUDA devices need"
                  : path + " cannot be loaded: " + (why ? why : "no reason was given"),
           absent ? "make cuda builds it" : "build it again with make cuda");
  }
  using Open = const device::Library* (*)(int);
  const auto open = reinterpret_cast<Open>(::dlsym(handle, device::entry_point));
  const device::Library* library = open ? open(device::interface_version) : nullptr;
  if (library == nullptr)
    refuse(path + " is of another version of polyak", "build it again with make cuda");
  return *library;
}

}  // namespace

// Options have their name from this library, of which the device's has no part.
void check(const device::Failure* failure) {
  if (failure == nullptr) return;
  const auto code = static_cast<ErrorCode>(failure->code);
  const std::string where = failure->where;
  std::string hint = failure->hint;
  if (code == ErrorCode::out_of_memory && hint.empty())
    hint = "try " + option_name("precision", "single") + " or " + option_name("device", "cpu");
  throw Error(code, {.what = failure->what,
                     .where = where == "device" ? option_name(where) : where,
                     .found = failure->found,
                     .expected = failure->expected,
                     .hint = hint});
}

// A failed attempt is not kept: the next call searches again.
const device::Library& cuda_library() {
  static const device::Library& library = load();
  return library;
}

int cuda_number(const std::string& name) {
  const std::string prefix = std::string(kind) + ":";
  if (name == kind) return 0;
  if (!name.starts_with(prefix)) return -1;
  int number = -1;
  const char *first = name.data() + prefix.size(), *last = name.data() + name.size();
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc() && end == last ? number : -1;
}

std::string cuda_device_named(const std::string& asked) {
  int devices = 0;
  check(cuda_library().count(&devices));
  const int number = cuda_number(asked);
  if (number >= 0 && number < devices) return std::string(kind) + ":" + std::to_string(number);
  throw Error(ErrorCode::usage,
              {.what = "there is no such CUDA device",
               .where = option_name("device"),
               .found = asked,
               .expected = "cuda:0" + (devices > 1 ? " to cuda:" + std::to_string(devices - 1)
                                                   : std::string())});
}

}  // namespace polyak::internal
