#pragma once

/// \file state.hpp
/// A method's memory as a plain value.

#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Everything a method remembers between iterations: saving it and restoring
/// it later continues the run with the same bits.
struct SolverState {
  Index iteration = 0;
  Index row_products = 0;
  std::vector<std::vector<double>> vectors;
};

}  // namespace polyak
#pragma GCC visibility pop
