#pragma once

// A subset of the rows as a problem of its own, and the pages of a file that these rows lie in.

#include <optional>
#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/problem.hpp"

namespace polyak::internal {

/// `count` different rows, ascending, each equally likely, none of `taken` (ascending); fewer
/// where there are not as many. A pure function of the arguments; `draw` numbers the draws of
/// one seed.
std::vector<Index> random_rows(Index rows, Index count, std::uint64_t seed, std::uint64_t draw,
                               const std::vector<Index>& taken = {});

/// The same, among the rows whose weight is not zero.
std::vector<Index> random_rows_of(const Problem& problem, Index count, std::uint64_t seed,
                                  std::uint64_t draw, const std::vector<Index>& taken = {});

/// These rows of A and b as a dense copy, with their weights; bounds, x0 and reference as in
/// the whole, no ridge. Reads these rows only; every rank gets all of them.
Problem subset_of(const Problem& problem, const std::vector<Index>& rows, ThreadTeam& team);

/// These rows as A stores them: sparse rows stay sparse, and each rank keeps its own. Uses
/// the ranks of `problem`, which must outlive it. Nothing where A does not store its rows; the
/// same on every rank.
std::optional<Problem> part_of(const Problem& problem, const std::vector<Index>& rows);

/// Rows of a mapped file are read by the page: the system fetches more than their bytes.
constexpr Index page_bytes = 4096;

/// Different pages that these rows (ascending) lie in, each row `row_bytes` long and one
/// after the other from the beginning of a page.
Index pages_spanned(std::span<const Index> rows, Index row_bytes);

/// For rows of A. Nothing where A is not one array: sparse, computed, on several ranks.
std::optional<Index> pages_of_rows(const RowMatrix& A, std::span<const Index> rows);

}  // namespace polyak::internal
