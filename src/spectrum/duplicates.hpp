#pragma once

#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// How many rows that are not zero repeat an earlier one, by 64-bit
/// fingerprints of their values (one read of A, eight bytes a row). A false
/// match among n rows has probability below n²/2^65.
Index count_duplicate_rows(const RowMatrix& A, ThreadTeam& team);

}  // namespace polyak
