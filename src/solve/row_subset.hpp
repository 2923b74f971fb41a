#pragma once

// A few rows of a problem as a problem of its own: what is found on them holds
// for all rows where rows look alike, and the rows left out can check it.

#include <optional>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/problem.hpp"

namespace polyak {

/// `count` different rows, ascending, each equally likely, none of `taken`
/// (ascending). A pure function of the arguments; fewer where there are not so
/// many. Draw `which` of several.
std::vector<Index> random_rows(Index rows, Index count, std::uint64_t seed, std::uint64_t which,
                               const std::vector<Index>& taken = {});

/// The same of the rows whose weight is not zero: no others say anything.
std::vector<Index> random_rows_of(const Problem& problem, Index count, std::uint64_t seed,
                                  std::uint64_t which, const std::vector<Index>& taken = {});

/// Those rows of A and b with their weights; bounds, x0 and reference as in the
/// whole, no ridge. Reads these rows only; every rank gets them all.
Problem subset_of(const Problem& problem, const std::vector<Index>& rows, ThreadTeam& team);

/// The same where they lie: sparse rows stay sparse, and each rank keeps its own. It
/// speaks through the ranks of `problem`, which must outlive it. Nothing where A does not
/// store its rows; the same on every rank.
std::optional<Problem> part_of(const Problem& problem, const std::vector<Index>& rows);

}  // namespace polyak
