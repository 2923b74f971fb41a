#pragma once

// What every file of the extension module needs from nanobind, and the rules for Python objects
// that C++ holds.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>

#include "polyak/types.hpp"

namespace polyak::python {

namespace nb = nanobind;

/// Holds `object`, an nb::object or nb::ndarray, until the last copy of the pointer is dropped: in
/// any thread, with or without the GIL. What is dropped after Python has ended is left alone.
template <class Object>
std::shared_ptr<const void> keep(Object object) {
  const auto drop = [](const Object* held) {
    if (!nb::is_alive()) return;
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
