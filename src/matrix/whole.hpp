#pragma once

// What several ranks find together about their rows; with one rank, what it
// has already. Every rank calls these at the same point.

#include <optional>

#include "core/thread_team.hpp"
#include "linalg/tsqr.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// The largest of the ranks' values. Each is at least 0, or NaN, which counts
/// as larger than any other.
double largest_of_ranks(const RowMatrix& A, double value);

struct Place {
  Index row = 0;
  Index col = 0;
  double value = 0.0;
};
/// The one with the smallest row; nothing when no rank has one.
std::optional<Place> first_of_ranks(const RowMatrix& A, const std::optional<Place>& own);

/// Σ of the numbers of all rows, given those of the rows held here; one after the
/// other, rank after rank, so that the bits are those of one process.
double sum_in_row_order(const RowMatrix& A, std::span<const double> own);

/// R of the n × cols matrix whose rows come from `source`, by the rows of A:
/// each rank factors its own, then takes in the others' R one after the other
/// (cols² numbers a rank).
Buffer whole_r(const RowMatrix& A, Index cols, const RowSource& source, ThreadTeam& team);

}  // namespace polyak
