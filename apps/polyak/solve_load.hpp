#pragma once

// Files become a problem.

#include "polyak/problem.hpp"
#include "solve_request.hpp"

namespace polyak::cli {

struct Loaded {
  ProblemData data;
  std::vector<std::string> names;  ///< of the unknowns; empty when nobody named them
  Index dropped_rows = 0;
};

/// Reads everything the request names.
Loaded load(const SolveRequest& request);

/// Leaves out the rows where A, b or the weights, all of one height, are not finite.
void drop_nonfinite_rows(ProblemData& data);

}  // namespace polyak::cli
