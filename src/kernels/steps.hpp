#pragma once

// What the methods do to whole vectors in every iteration, in vector
// instructions with the bits of the formulas as written.

#include "polyak/types.hpp"

namespace polyak::kernels {

/// previous = (x − alpha·g) + beta·(x − previous), entry by entry.
void heavy_ball_step(Index count, double alpha, double beta, const double* x, const double* g,
                     double* previous);

/// previous = x + beta·(x − previous).
void extrapolate(Index count, double beta, const double* x, double* previous);

/// x = x − alpha·g.
void gradient_step(Index count, double alpha, const double* g, double* x);

}  // namespace polyak::kernels
