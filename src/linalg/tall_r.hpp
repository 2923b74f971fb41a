#pragma once

// The R factor of a tall matrix by the whole team.

#include <functional>

#include "linalg/tsqr.hpp"

namespace polyak {

class ThreadTeam;

/// Copies rows [first, last) into a block; called from several threads.
using RowSource = std::function<void(Index first, Index last, View out)>;

/// How many chunks of rows get an R factor of their own.
Index tall_r_chunks(Index rows, Index cols);

/// R of a matrix known by its rows. It is cut into chunks whose number follows
/// from its size alone and merged pairwise: the same bits for any team.
Buffer tall_r(Index rows, Index cols, const RowSource& source, ThreadTeam& team,
              Diagonal diagonal = Diagonal::any);

}  // namespace polyak
