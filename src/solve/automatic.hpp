#pragma once

// The method auto: look at a few rows, take the method with the least
// predicted time, and another when it does not do what was predicted.

#include "polyak/solve.hpp"

namespace polyak {

Report automatic_solve(const Problem& problem, const SolveOptions& options, Observer* observer,
                       const Snapshot* from);

}  // namespace polyak
