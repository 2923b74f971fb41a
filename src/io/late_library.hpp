#pragma once

// Libraries of file formats that are loaded when a file needs them, not when the program starts:
// HDF5, matio and TIFF bring thirty others, whose loading takes longer than a small solve.

#include <atomic>
#include <string>

namespace polyak::io {

/// A shared library, loaded at the first use of one of its names and never unloaded.
class LateLibrary {
 public:
  /// `file` as the dynamic loader searches it; `package` is Debian's name of what to install.
  constexpr LateLibrary(const char* file, const char* package) : file_(file), package_(package) {}
  LateLibrary(const LateLibrary&) = delete;
  LateLibrary& operator=(const LateLibrary&) = delete;

  /// Error internal if the library or the name is not there.
  void* address(const char* name) const;
  /// The same for a variable.
  void* variable(const char* name) const;

 private:
  void* handle() const;
  [[noreturn]] void refuse(const std::string& why) const;

  const char* file_;
  const char* package_;
  mutable std::atomic<void*> handle_ = nullptr;
};

/// A function of such a library, called as the function itself would be.
template <class Function>
class Late {
 public:
  constexpr Late(const LateLibrary& library, const char* name) : library_(library), name_(name) {}
  using Pointer = Function*;
  operator Pointer() const { return reinterpret_cast<Pointer>(library_.address(name_)); }

 private:
  const LateLibrary& library_;
  const char* name_;
};

/// A variable of such a library.
template <class Value>
class LateValue {
 public:
  constexpr LateValue(const LateLibrary& library, const char* name)
      : library_(library), name_(name) {}
  operator Value() const { return *static_cast<const Value*>(library_.variable(name_)); }

 private:
  const LateLibrary& library_;
  const char* name_;
};

}  // namespace polyak::io

// Declares polyak::io::NAME, which hides the library's own ::NAME in that namespace, also where a
// macro of the library's header names it.
#define POLYAK_LATE(library, name) inline constexpr Late<decltype(::name)> name(library, #name);
