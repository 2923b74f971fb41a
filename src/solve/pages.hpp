#pragma once

// How much of a file a few rows of it cost. Rows are read from a mapped file by
// the page, so that bytes of rows are less than what the system has to fetch.

#include <optional>
#include <span>

#include "polyak/row_matrix.hpp"

namespace polyak {

constexpr Index page_bytes = 4096;

/// Different pages that these rows (ascending) lie in, each `row_bytes` long
/// and one after the other from the beginning of a page.
Index pages_spanned(std::span<const Index> rows, Index row_bytes);

/// Of rows of A. Nothing where those do not lie one after the other in one
/// place: sparse, made up, on several ranks.
std::optional<Index> pages_of_rows(const RowMatrix& A, std::span<const Index> rows);

}  // namespace polyak
