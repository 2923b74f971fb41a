#pragma once

#include <string>

#include "polyak/shape.hpp"
#include "solve/request.hpp"

namespace polyak::cli {

/// What the files of a request become in memory.
struct InputShape {
  ProblemShape problem;
  std::string kind;            ///< "dense, double, mapped"
  bool mapped = false;         ///< A stays in its file
  double rhs_bytes = 0.0;      ///< of b and weights in memory
  double reading_bytes = 0.0;  ///< needed besides A while A is read
  double buffer_bytes = 0.0;   ///< of rows that are read when they are used

  /// Needed in memory before a method begins.
  double data_bytes() const { return (mapped ? buffer_bytes : problem.bytes) + rhs_bytes; }
};

/// Found without reading the values of the files if their format allows it. Error usage for
/// standard input, which can be read only once; bad_data for sizes of A and b that do not match.
InputShape input_shape(const SolveRequest& request);

/// True if the .npy reader maps the file of A instead of copying it.
bool stays_in_file(const SolveRequest& request);

}  // namespace polyak::cli
