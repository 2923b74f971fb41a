#pragma once

#include "python.hpp"

namespace polyak::python {

/// solve() and the class of its results, as members of the module.
void define_solve(nb::module_& module);

}  // namespace polyak::python
