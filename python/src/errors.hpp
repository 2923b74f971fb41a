#pragma once

#include "python.hpp"

namespace polyak::python {

/// polyak::Error becomes the exception of polyak/_errors.py for its code, with the parts of the
/// message as attributes.
void define_errors(nb::module_& module);

/// Leaves what an interrupted call has made as an attribute of the Python exception.
void attach(const nb::python_error& raised, const nb::object& result);

}  // namespace polyak::python
