#pragma once

#include "inputs.hpp"

namespace polyak::python {

/// A stored matrix as read-only NumPy arrays that share its memory: one array of a dense matrix,
/// (data, indices, indptr) of CSR; rows that are not stored are copied.
nb::object stored_arrays(const MatrixPtr& A);

/// Functions of polyak/generate.hpp, as members of the module "generate".
void define_generate(nb::module_& module);

}  // namespace polyak::python
