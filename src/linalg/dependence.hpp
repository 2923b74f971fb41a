#pragma once

// Which columns of a triangular factor depend on which: QR with column pivoting.

#include <vector>

#include "linalg/buffer.hpp"

namespace polyak {

/// Column `column` is a combination of the columns `on`; of none where it is zero.
struct Dependence {
  Index column = 0;
  std::vector<Index> on;
};

struct Dependences {
  std::vector<Dependence> columns;  ///< cols − rank of them, ascending
  Buffer null_space;                ///< cols × (cols − rank): R·null_space is zero to rounding
};

/// Of R (square), whose columns should be of about one size, and its rank.
Dependences dependences(ConstView R, Index rank);

}  // namespace polyak
