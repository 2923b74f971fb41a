#pragma once

// The QR factorisation that statistics are made of:
//   [√W Ã | √W b̃] = Q·[R S; 0 T],  Ã = A·scale.a, b̃ = b·scale.b,
// one read of A, never AᵀA.

#include <vector>

#include "core/thread_team.hpp"
#include "linalg/buffer.hpp"
#include "matrix/column_map.hpp"
#include "polyak/problem.hpp"

namespace polyak {

class RegressionFactor {
 public:
  RegressionFactor(const Problem& problem, Scale scale, ThreadTeam& team);
  /// From the factor [R S; 0 T] itself, with d columns of A.
  RegressionFactor(Buffer r, Index d, bool has_constant_column);

  /// Singular values of R above rank_threshold of the largest, as the method
  /// `direct` counts them.
  Index rank() const { return rank_; }
  /// Some column of A has the same value, not zero, in every row that counts.
  bool has_constant_column() const { return constant_; }
  /// ‖T‖² of right-hand side c: what no x can take away.
  double least_residual2(Index c) const;
  /// ‖R·x̃ − S‖² of right-hand side c: what a better x would take away.
  double excess2(Index c, const std::vector<double>& x) const;
  /// The diagonal of (ÃᵀWÃ)⁻¹, in the user's variables where there is a map. Needs full
  /// rank.
  std::vector<double> inverse_diagonal(const ColumnMap* map) const;

 private:
  Index d_, c_, rank_ = 0;
  Buffer r_;
  bool constant_ = false;
};

}  // namespace polyak
