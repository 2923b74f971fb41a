#pragma once

// What every file of the extension module needs from nanobind, and the rules for Python objects
// that C++ holds.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <utility>

#include "polyak/types.hpp"

namespace polyak::python {

namespace nb = nanobind;

/// Stands in every use of Python by a thread that Python does not know. A run may be left behind
/// by an interrupt, and goes on while Python ends: before it ends, a function for atexit waits for
/// those inside (define_runs), and those that come later are refused.
class PythonUse {
 public:
  PythonUse() { ++inside(); }
  ~PythonUse() { --inside(); }
  PythonUse(const PythonUse&) = delete;
  PythonUse& operator=(const PythonUse&) = delete;
  bool refused() const { return ends(); }

  static std::atomic<int>& inside();
  static std::atomic<bool>& ends();
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
