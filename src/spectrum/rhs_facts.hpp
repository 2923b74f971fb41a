#pragma once

// The part of the facts (spectrum/facts.hpp) that comes from b.

#include "core/thread_team.hpp"
#include "spectrum/facts.hpp"

namespace polyak {

/// The largest |b_i| of the rows that take part. Throws Error bad_data if any value is not finite.
double max_abs_of_rhs(const Problem& problem, ThreadTeam& team);

/// The power of two by which b is scaled. `forced` takes part in all residuals. Error bad_data
/// where right-hand sides are so far apart in size that no scale serves all.
double scale_of_rhs(const Problem& problem, double largest_of_b, double forced);

/// The norms of b, and unless `blocks` tells of them the zero rows.
void read_rhs(const Problem& problem, MatrixFacts& facts);

}  // namespace polyak
