#pragma once

// The method auto: executes the stages of solve/auto/stages.hpp until one of them has solved
// the problem.

#include "polyak/solve.hpp"

namespace polyak {

Report automatic_solve(const Problem& problem, const SolveOptions& options, Observer* observer,
                       const Snapshot* from);

}  // namespace polyak
