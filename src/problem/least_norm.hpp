#pragma once

// The shortest x among those that fit equally well, in the units of the user where columns were
// scaled.

#include <optional>

#include "linalg/buffer.hpp"
#include "matrix/column_map.hpp"

namespace polyak {

/// The steps N·y from x (c × d), one row per right-hand side, to the shortest x in the user's
/// units: min ‖D·x + D·N·y‖ without the intercept, where D are the units of the map and the columns
/// of N span the null space of the mapped matrix. None where the SVD fails.
std::optional<Buffer> steps_to_shortest(const ColumnMap& map, ConstView N, ConstView x);

}  // namespace polyak
