#pragma once

// From Python objects to a matrix A and vectors of numbers.

#include <string>
#include <vector>

#include "polyak/matrices.hpp"
#include "python.hpp"

namespace polyak::python {

/// A with the names of its columns, and b where the same file holds both.
struct Input {
  MatrixPtr A;
  std::vector<std::string> names = {};
  Array b = {};
  Index dropped_rows = 0;
};

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ro, nb::c_contig, nb::device::cpu>;

/// n × c numbers in C order (one dimension: c = 1), not copied.
Array array_of(const Numbers& numbers);
std::vector<double> vector_of(const Numbers& numbers);

/// Makes the class Matrix, and the functions that return one, members of the module.
void define_inputs(nb::module_& module);

}  // namespace polyak::python
