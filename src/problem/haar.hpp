#pragma once

// Matrices with orthonormal columns, uniformly distributed (Haar).

#include "core/random.hpp"
#include "linalg/buffer.hpp"
#include "polyak/types.hpp"

namespace polyak {

class ThreadTeam;

/// Fills Q (rows ≥ cols) so that Q·R⁻¹ is Haar distributed and orthonormal to
/// machine precision, R being the upper triangular matrix returned, which is
/// the identity but for rounding. Left undone so that the caller can fold R⁻¹
/// into the next product and save a pass over Q.
Buffer haar_frame(View Q, const Random& random, ThreadTeam& team);

/// A ← A·M in place, M square, by blocks of rows.
void multiply_rows(View A, ConstView M, ThreadTeam& team);

}  // namespace polyak
