#pragma once

// The ceilings: memory that is read and summed, nothing else. What a kernel can
// at best reach, in vector instructions like the kernels.

#include <span>

#include "core/thread_team.hpp"
#include "polyak/types.hpp"

namespace polyak::bench {

/// The sum of `count` values that lie in a row.
double read_values(const double* values, Index count);
/// The sum of the listed rows, the rows to come prefetched.
double read_rows(ConstView A, std::span<const Index> rows);

/// The same by the team, a part for each thread.
double read_values(const double* values, Index count, ThreadTeam& team);
double read_rows(ConstView A, std::span<const Index> rows, ThreadTeam& team);

}  // namespace polyak::bench
