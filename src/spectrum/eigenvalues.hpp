#pragma once

// Eigenvalues of Gram matrices: all of them, which of them are zero up to rounding, and
// Lanczos estimates.

#include <functional>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "linalg/factor.hpp"
#include "polyak/row_matrix.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

/// Ascending eigenvalues of a symmetric d × d matrix.
std::vector<double> eigenvalues_of(std::vector<double> H, Index d);
/// The eigenvalues go to `values` (d numbers), and row j of H becomes the eigenvector of
/// values[j].
void eigenvectors_of(std::vector<double>& H, std::vector<double>& values);

/// The factor by which row i is multiplied.
using RowFactor = std::function<double(Index)>;

/// The smallest of the ascending values that is above `line`; the largest value if none is.
double smallest_above(const std::vector<double>& values, double line);

struct Resolved {
  std::vector<double> values;      ///< ascending
  Index rank = 0;                  ///< of A; from a QR factorisation where AᵀA cannot decide it
  double lambda_min = 0.0;         ///< the smallest eigenvalue above d·eps·lambda_max
  Index unresolved = 0;            ///< how many eigenvalues counted in the rank are below that line
  double smallest_singular = 0.0;  ///< of those, the smallest singular value over the largest
  bool factored = false;           ///< a QR factorisation was made, which reads the rows once more
  /// Where it was made: singular values up to this part of the largest count as zero, and the
  /// columns that depend on others.
  double threshold = 0.0;
  std::vector<Dependence> dependent = {};
};

/// `values` are the eigenvalues of gram(A, factor), ascending, at least one; `additions` is the
/// longest chain of additions in its entries (gram_additions). Where rounding in the Gram matrix
/// does not allow to decide whether the smallest is zero, the eigenvalues are computed again by QR,
/// which does not square the condition number; but not where the QR would take minutes.
Resolved resolve(const RowMatrix& A, const RowFactor& factor, std::vector<double> values,
                 double additions, ThreadTeam& team);

struct RitzValues {
  std::vector<double> values;  ///< ascending
  bool exhausted = false;      ///< the Krylov space is invariant: the Ritz values are eigenvalues
};

/// Lanczos with full reorthogonalisation for a symmetric positive semidefinite H, from a random
/// start; apply(v, out) computes out = H·v.
RitzValues lanczos(Index d, Index steps, const Random& random,
                   const std::function<void(std::span<const double>, std::span<double>)>& apply);

}  // namespace polyak::internal
