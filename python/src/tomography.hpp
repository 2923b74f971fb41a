#pragma once

#include "python.hpp"

namespace polyak::python {

/// Functions of polyak/tomography*.hpp, as members of the module "tomography".
void define_tomography(nb::module_& module);

}  // namespace polyak::python
