#pragma once

#include "python.hpp"

namespace polyak::python {

/// polyak::Error becomes the exception of polyak/_errors.py for its code, with the parts of the
/// message as attributes.
void define_errors(nb::module_& module);

}  // namespace polyak::python
