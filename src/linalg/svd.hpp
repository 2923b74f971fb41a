#pragma once

// What needs singular values: rank, and the least squares solution of least
// norm.
//
// Eigenvalues of symmetric matrices. Only the upper triangle is read.

#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

struct SvdSolution {
  bool ok = false;                      ///< false: not finite, or the iteration did not converge
  Index rank = 0;                       ///< singular values above rcond times the largest
  std::vector<double> singular_values;  ///< descending
};

/// For each row of X (c × at least max(rows, cols) numbers), which holds a
/// right-hand side of A.rows numbers: the x of least norm that minimises
/// ‖A·x − rhs‖ becomes its first A.cols numbers. Singular values up to rcond
/// times the largest count as zero. When not ok, X holds no answer.
[[nodiscard]] SvdSolution least_squares_svd(ConstView A, View X, double rcond);

/// Descending; `ok` and `rank` are set as above with rcond = max(rows, cols)·eps.
[[nodiscard]] SvdSolution singular_values(ConstView A);

/// Ascending eigenvalues of H, which is spoilt. False when H is not finite or
/// the iteration did not converge; `values` is then meaningless.
[[nodiscard]] bool symmetric_eigenvalues(View H, std::span<double> values);

/// The same with vectors: row j of H becomes the unit eigenvector of values[j].
[[nodiscard]] bool symmetric_eigen(View H, std::span<double> values);

}  // namespace polyak
