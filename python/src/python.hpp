#pragma once

// What every file of the extension module needs from nanobind, and the rules for Python objects
// that C++ holds.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <thread>
#include <utility>

#include "polyak/types.hpp"

namespace polyak::python {

namespace nb = nanobind;

/// Stands in every use of Python by a thread that Python may end without: one that Python does not
/// know, or one of its daemon threads. A run may be left behind by an interrupt, and goes on while
/// Python ends: before it ends, a function for atexit waits for those inside (define_runs), and
/// those that come later are refused.
class PythonUse {
 public:
  PythonUse() { ++inside(); }
  ~PythonUse() { --inside(); }
  PythonUse(const PythonUse&) = delete;
  PythonUse& operator=(const PythonUse&) = delete;
  /// Python ends, and in another thread than this one.
  bool refused() const {
    const std::thread::id by = ended_by();
    return by != std::thread::id() && by != std::this_thread::get_id();
  }

  static std::atomic<int>& inside();
  /// The thread in which Python ends; no thread until then.
  static std::atomic<std::thread::id>& ended_by();
};

/// C++ code that runs now without the GIL. When the process ends, this is code of daemon threads,
/// and of runs that an interrupt has left behind: the process then ends before it destroys what
/// they use.
class GoesOn {
 public:
  GoesOn() { ++count(); }
  ~GoesOn() { --count(); }
  GoesOn(const GoesOn&) = delete;
  GoesOn& operator=(const GoesOn&) = delete;

  static std::atomic<int>& count();
};

/// The GIL is released while this lives. A daemon thread that wants it back when Python ends sleeps
/// for ever, as in Python 3.14: earlier ones end the thread by unwinding its stack, which C++
/// answers by ending the process.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    if (!restored()) sleep_for_ever();
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  bool restored() {
    const PythonUse use;
    if (use.refused()) return false;
    PyEval_RestoreThread(state_);
    return true;
  }
  [[noreturn]] static void sleep_for_ever() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  GoesOn counted_;
  PyThreadState* state_;
};

/// Holds `object`, an nb::object or nb::ndarray, until the last copy of the pointer is dropped: in
/// any thread, with or without the GIL. What is dropped after Python has ended is left alone.
template <class Object>
std::shared_ptr<const void> keep(Object object) {
  const auto drop = [](const Object* held) {
    const PythonUse use;
    if (use.refused() || !nb::is_alive()) return;
    const nb::gil_scoped_acquire gil;
    delete held;
  };
  return std::shared_ptr<const Object>(new Object(std::move(object)), drop);
}

/// A new NumPy array with a copy of these numbers.
template <class Value>
nb::object new_array(const Value* values, std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  auto owner = std::make_unique<Value[]>(size > 0 ? size : 1);
  std::copy_n(values, size, owner.get());
  const nb::capsule keeper(owner.get(), [](void* p) noexcept { delete[] static_cast<Value*>(p); });
  Value* const data = owner.release();
  return nb::cast(nb::ndarray<nb::numpy, Value>(data, shape.size(), shape.begin(), keeper));
}

}  // namespace polyak::python
