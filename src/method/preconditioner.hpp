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
  /// By Cholesky, where the rounding of H leaves it a use; with pivots where up to
  /// `most_dependent` columns depend on the others. Not built where neither does.
  static Preconditioner of_matrix(ConstView H);
  /// By its eigenvalues, those that count.
  static Preconditioner of_eigenvalues(Buffer H);
  static constexpr Index most_dependent = 16;

  bool built() const { return factor_.data() != nullptr; }
  /// R is regular, so H⁺ is the inverse.
  bool full_rank() const { return values_.empty() && order_.empty(); }
  ConstView R() const { return factor_.view(); }
  /// The condition of R: at least the true one with probability 0.998, and at most
  /// 1.5 times (Lanczos steps on RᵀR and its inverse from a random start); infinite
  /// where R is singular to working precision.
  double condition() const { return condition_; }
  /// Of H, where R is not regular: eigenvalues that count.
  Index rank() const { return factor_.rows(); }
  /// Where R is not regular: a column for each eigenvalue that does not count.
  const Buffer& null_space() const { return null_space_; }
  /// Somebody else has seen that A does not see that space: the condition is that of the
  /// rest.
  void trust_null_space() { condition_ = condition_of_rest_; }

  /// Each row of g. Directions H does not see become 0.
  void apply(View g) const;

 private:
  static Preconditioner of_pivots(ConstView H);
  void apply_pivoted(View g) const;
  void take_off_null_space(View g) const;

  Buffer factor_;               // R, or the eigenvectors that count, one a row
  std::vector<double> values_;  // their eigenvalues; empty with R
  std::vector<Index> order_;    // of the columns in R, the dependent ones last; empty: as in H
  double condition_ = 0.0, condition_of_rest_ = 0.0;
  Buffer null_space_;
};

}  // namespace polyak
