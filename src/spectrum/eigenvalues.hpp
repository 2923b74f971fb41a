#pragma once

// Which eigenvalues of a Gram matrix are not zero up to rounding.
//
// Lanczos with full reorthogonalisation on a symmetric positive operator.

#include <functional>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"
#include "polyak/types.hpp"

namespace polyak {

/// Ascending eigenvalues of a symmetric d × d matrix.
std::vector<double> eigenvalues_of(std::vector<double> H, Index d);
/// The same, and row j of H becomes the eigenvector of values[j].
void eigenvectors_of(std::vector<double>& H, std::vector<double>& values);

/// What a row is multiplied by.
using RowFactor = std::function<double(Index)>;

/// The smallest of the ascending values above the line; the largest if none is.
double smallest_above(const std::vector<double>& values, double line);

struct Resolved {
  std::vector<double> values;      ///< ascending
  Index rank = 0;                  ///< of A; by QR where AᵀA leaves it in doubt
  double lambda_min = 0.0;         ///< the smallest above d·eps·lambda_max
  Index unresolved = 0;            ///< of the rank, those below that line
  double smallest_singular = 0.0;  ///< … the smallest singular value, relative to the largest
  bool factored = false;           ///< the rows had to be read once more, for a QR
};

/// `values` are the eigenvalues of gram(A, factor), ascending, at least one.
/// Where its rounding leaves in doubt whether the smallest is zero, they are
/// found again by QR, which never squares A; unless that would take minutes.
Resolved resolve(const RowMatrix& A, const RowFactor& factor, std::vector<double> values,
                 ThreadTeam& team);

struct RitzValues {
  std::vector<double> values;  ///< ascending
  bool exhausted = false;      ///< the Krylov space is invariant: the values are eigenvalues
};

/// apply(v, out): out = H v.
RitzValues lanczos(Index d, Index steps, const Random& random,
                   const std::function<void(std::span<const double>, std::span<double>)>& apply);

}  // namespace polyak
