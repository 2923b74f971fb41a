#pragma once

// g ← H⁺g for a symmetric H: the gradient of a problem whose columns have been
// made (nearly) orthonormal, brought back to x.

#include <vector>

#include "linalg/buffer.hpp"

namespace polyak {

class Preconditioner {
 public:
  Preconditioner() = default;
  /// H = RᵀR by the upper triangle of R; where R is singular to working
  /// precision, by the eigenvalues of RᵀR.
  static Preconditioner of_factor(Buffer R);
  /// Cholesky where H is positive definite to working precision, by its
  /// eigenvalues otherwise.
  static Preconditioner of_matrix(Buffer H);

  bool built() const { return factor_.data() != nullptr; }
  /// R is regular, so H⁺ is the inverse.
  bool full_rank() const { return values_.empty(); }
  ConstView R() const { return factor_.view(); }
  /// Largest to smallest diagonal entry of R, at most its condition; infinite
  /// where R is singular to working precision.
  double spread() const;

  /// Each row of g. Directions H does not see become 0.
  void apply(View g) const;

 private:
  static Preconditioner of_eigenvalues(Buffer H);

  Buffer factor_;               // R, or the eigenvectors that count, one a row
  std::vector<double> values_;  // their eigenvalues; empty with R
};

}  // namespace polyak
