#pragma once

#include "python.hpp"

namespace polyak::python {

/// plan() and solve_bytes(), as members of the module.
void define_plan(nb::module_& module);

}  // namespace polyak::python
