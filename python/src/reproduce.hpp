#pragma once

#include "python.hpp"

namespace polyak::python {

/// reproduce() and the names of its figures, as members of the module.
void define_reproduce(nb::module_& module);

}  // namespace polyak::python
