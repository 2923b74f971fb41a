#pragma once

#include "inputs.hpp"

namespace polyak::python {

/// The class Products: A·x and Aᵀ·y on all cores, with the same bits for any number of threads.
void define_products(nb::module_& module);

}  // namespace polyak::python
