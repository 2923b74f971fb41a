#pragma once

// Eigenvalues of symmetric matrices. Only the upper triangle is read.

#include <span>

#include "polyak/types.hpp"

namespace polyak {

/// Ascending eigenvalues of H, which is spoilt. False when H is not finite or
/// the iteration did not converge; `values` is then meaningless.
[[nodiscard]] bool symmetric_eigenvalues(View H, std::span<double> values);

/// The same with vectors: row j of H becomes the unit eigenvector of values[j].
[[nodiscard]] bool symmetric_eigen(View H, std::span<double> values);

}  // namespace polyak
