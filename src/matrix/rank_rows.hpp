#pragma once

// Collective operations on a matrix whose rows are distributed over ranks (polyak/ranks.hpp).
// With one rank there is no communication.

#include <optional>

#include "core/thread_team.hpp"
#include "linalg/tsqr.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak::internal {

/// The largest value of all ranks; NaN counts as larger than any number.
double largest_of_ranks(const RowMatrix& A, double value);

struct Place {
  Index row = 0;
  Index col = 0;
  double value = 0.0;
};
/// The place in the first row, among those of all ranks; nothing if no rank has one.
std::optional<Place> first_of_ranks(const RowMatrix& A, const std::optional<Place>& own);

/// Σ of one number per row over all rows, given those of the rows stored here; added
/// row after row, rank after rank, so that the bits are those of one process.
double sum_in_row_order(const RowMatrix& A, std::span<const double> own);

/// R of the n × cols matrix whose rows come from `source`, distributed like the rows of A:
/// each rank factors its own rows, then broadcasts its R (cols² numbers), and all ranks
/// combine them in the same order.
Buffer distributed_r(const RowMatrix& A, Index cols, const RowSource& source, ThreadTeam& team);

}  // namespace polyak::internal
