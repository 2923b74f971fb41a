#pragma once

// Singular values, rank and minimum-norm least squares; eigenvalues of symmetric matrices.

#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::internal {

struct SvdSolution {
  bool ok = false;                      ///< false: A not finite, or the iteration did not converge
  Index rank = 0;                       ///< singular values above rcond times the largest
  std::vector<double> singular_values;  ///< descending
};

/// Minimum-norm least squares. Each row of X (at least max(A.rows, A.cols) numbers) holds a
/// right-hand side in its first A.rows numbers on entry, and in its first A.cols numbers the x
/// of least norm that minimises ‖A·x − rhs‖ on return. Singular values up to rcond times the
/// largest are treated as zero. When not ok, the content of X is undefined.
[[nodiscard]] SvdSolution least_squares_svd(ConstView A, View X, double rcond);

/// Singular values alone, descending; `rank` is that for rcond = max(rows, cols)·eps.
[[nodiscard]] SvdSolution singular_values(ConstView A);

/// Ascending eigenvalues of H, of which only the upper triangle is read; H is overwritten.
/// False when H is not finite or the iteration did not converge; `values` is then undefined.
[[nodiscard]] bool symmetric_eigenvalues(View H, std::span<double> values);

/// The same with vectors: row j of H becomes the unit eigenvector of values[j].
[[nodiscard]] bool symmetric_eigen(View H, std::span<double> values);

}  // namespace polyak::internal
