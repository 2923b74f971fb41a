#pragma once

// Which eigenvalues of a Gram matrix are not zero up to rounding.

#include <functional>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// What a row is multiplied by.
using RowFactor = std::function<double(Index)>;

/// The smallest of the ascending values above the line; the largest if none is.
double smallest_above(const std::vector<double>& values, double line);

struct Resolved {
  std::vector<double> values;  ///< ascending
  Index rank = 0;              ///< of A; by QR where AᵀA leaves it in doubt
  double lambda_min = 0.0;     ///< the smallest above d·eps·lambda_max
  Index unresolved = 0;        ///< of the rank, those below that line
  double smallest_singular = 0.0;  ///< … the smallest singular value, relative to the largest
  bool factored = false;       ///< the rows had to be read once more, for a QR
};

/// `values` are the eigenvalues of gram(A, factor), ascending, at least one.
/// Where its rounding leaves in doubt whether the smallest is zero, they are
/// found again by QR, which never squares A; unless that would take minutes.
Resolved resolve(const RowMatrix& A, const RowFactor& factor, std::vector<double> values,
                 ThreadTeam& team);

}  // namespace polyak
