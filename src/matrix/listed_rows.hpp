#pragma once

#include <span>

#include "polyak/matrices.hpp"

namespace polyak {

/// A copy of these rows, stored as they are in A; null where A does not store its rows
/// (a projector makes them as they are read).
MatrixPtr listed_rows(const RowMatrix& A, std::span<const Index> rows);

}  // namespace polyak
