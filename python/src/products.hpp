#pragma once

// Matrices that a Python object computes.

#include "polyak/matrices.hpp"
#include "python.hpp"

namespace polyak::python {

/// multiply(x) is A·x and transposed(y) is Aᵀ·y, for vectors of float64; single rows cannot be
/// read.
MatrixPtr product_matrix(nb::object multiply, nb::object transposed, Index rows, Index cols);

/// function(indices) gives the rows with these numbers (int64) as a float64 array.
MatrixPtr function_matrix(nb::object function, Index rows, Index cols);

}  // namespace polyak::python
