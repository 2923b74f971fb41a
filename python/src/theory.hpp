#pragma once

#include "python.hpp"

namespace polyak::python {

/// Functions of polyak/theory.hpp and polyak/spectrum.hpp, as members of the module "theory".
void define_theory(nb::module_& module);

}  // namespace polyak::python
