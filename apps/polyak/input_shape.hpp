#pragma once

// What the files of a request will become, told without reading their values
// where the format allows it.

#include "polyak/shape.hpp"
#include "solve_request.hpp"

namespace polyak::cli {

struct InputShape {
  ProblemShape problem;
  std::string kind;            ///< "dense, double, mapped"
  bool mapped = false;         ///< A stays in its file; pages come and go
  double rhs_bytes = 0.0;      ///< of b and weights in memory
  double reading_bytes = 0.0;  ///< beside A, while it is read

  /// What must be in memory before a method begins.
  double data_bytes() const { return (mapped ? 0.0 : problem.bytes) + rhs_bytes; }
};

/// Whether A is an .npy file that is used where it lies.
bool stays_in_file(const SolveRequest& request);

/// Error usage for standard input, which can be read only once; Error bad_data
/// for sizes that do not fit each other.
InputShape input_shape(const SolveRequest& request);

}  // namespace polyak::cli
