#pragma once

// g ← H⁺g for a symmetric H: a gradient step in variables in which the columns of the problem
// are (nearly) orthonormal.

#include <vector>

#include "linalg/buffer.hpp"
#include "linalg/factor.hpp"

namespace polyak::internal {

class Preconditioner {
 public:
  Preconditioner() = default;
  /// H = RᵀR by the upper triangle of R; where R is singular to working
  /// precision, by the eigenvalues of RᵀR.
  static Preconditioner of_factor(Buffer R);
  /// By Cholesky, where H is resolved beyond its rounding; with pivots where up to
  /// `max_dependent` columns depend on the others. Otherwise it is not built.
  static Preconditioner of_matrix(ConstView H);
  /// By the eigenvalues above the threshold for zero.
  static Preconditioner of_eigenvalues(Buffer H);
  static constexpr Index max_dependent = 16;

  bool built() const { return factor_.data() != nullptr; }
  /// R is regular, so H⁺ is the inverse.
  bool full_rank() const { return values_.empty() && order_.empty(); }
  ConstView R() const { return factor_.view(); }
  /// The condition of R: at least the true one with probability 0.998, and at most
  /// 1.5 times (Lanczos steps on RᵀR and its inverse from a random start); infinite
  /// where R is singular to working precision.
  double condition() const { return condition_; }
  /// Of H, where R is not regular: eigenvalues above the threshold.
  Index rank() const { return factor_.rows(); }
  /// Where R is not regular: a column for each eigenvalue below the threshold.
  const Buffer& null_space() const { return null_space_; }
  /// Where pivots found columns that depend on others: these columns.
  const std::vector<Dependence>& dependent() const { return dependent_; }
  /// For callers that have verified A·N = 0: from then on condition() is that of A on the
  /// complement of that space.
  void trust_null_space() { condition_ = condition_of_rest_; }

  /// For each row of g. The part in the null space of H becomes 0.
  void apply(View g) const;

 private:
  static Preconditioner of_pivots(ConstView H);
  void apply_pivoted(View g) const;
  void remove_null_space(View g) const;

  Buffer factor_;               // R, or the eigenvectors above the threshold, one per row
  std::vector<double> values_;  // their eigenvalues; empty with R
  std::vector<Index> order_;    // of the columns in R, the dependent ones last; empty: as in H
  double condition_ = 0.0, condition_of_rest_ = 0.0;
  Buffer null_space_;
  std::vector<Dependence> dependent_;
};

}  // namespace polyak::internal
