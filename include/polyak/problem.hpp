#pragma once

/// \file problem.hpp
/// The problem to solve:  min ½ Σ_i w_i (a_iᵀx − b_i)² + ½·ridge·‖x‖²,
/// optionally with an intercept (a_iᵀx + c in place of a_iᵀx) and with
/// lower ≤ x ≤ upper. Several right-hand sides (columns of b)
/// are solved together and share every read of a row.

#include <span>
#include <vector>

#include "polyak/matrices.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The parts of a problem. Arrays have the shape they have in files: one row per unknown, one
/// column per right-hand side.
struct ProblemData {
  MatrixPtr A;
  Array b;                      ///< n × c
  std::vector<double> weights;  ///< n numbers ≥ 0; empty means 1
  double ridge = 0.0;           ///< ≥ 0; penalises x itself, also with a start vector
  /// The ridge of unknown j is ridge·ridge_factors[j]; empty means 1 for all.
  std::vector<double> ridge_factors;
  /// Adds a last unknown c, the intercept: A gets a column of ones at the end, which is not
  /// stored. The ridge never applies to it.
  bool intercept = false;
  /// One number for all unknowns except the intercept, or one number per unknown, where that of
  /// the intercept may be missing. Empty or infinite means no bound.
  std::vector<double> lower;
  std::vector<double> upper;
  Array x0;         ///< one row per unknown, c columns; empty means 0
  Array reference;  ///< the same shape; a known solution, from which the report computes the error
  /// In place of `weights`, without a copy of them: n × 1, of a mapped file for instance.
  Array shared_weights = {};
};

/// Immutable. The constructor checks shapes and parameters (Error bad_data); the values of A
/// are checked when its rows are read.
class Problem {
 public:
  explicit Problem(ProblemData data);

  const RowMatrix& A() const { return *data_.A; }
  MatrixPtr matrix() const { return data_.A; }
  Index rows() const { return data_.A->rows(); }
  /// The number of unknowns, including the intercept.
  Index cols() const { return data_.A->cols(); }
  bool has_intercept() const { return data_.intercept; }
  Index right_hand_sides() const { return data_.b.cols(); }
  ConstView b() const { return data_.b.view(); }
  /// n numbers, or none, which means 1.
  std::span<const double> weights() const {
    if (data_.shared_weights.empty()) return data_.weights;
    return {data_.shared_weights.view().data, to_size(data_.shared_weights.rows())};
  }
  double ridge() const { return data_.ridge; }
  /// The ridge of unknown j.
  double ridge(Index j) const {
    return data_.ridge_factors.empty() ? data_.ridge
                                       : data_.ridge * data_.ridge_factors[to_size(j)];
  }

  bool has_bounds() const { return !lower_.empty(); }
  /// d numbers each, infinite where there is no bound; empty without bounds.
  const std::vector<double>& lower() const { return lower_; }
  const std::vector<double>& upper() const { return upper_; }

  /// c × d: one start vector per right-hand side.
  ConstView x0() const { return {x0_.data(), right_hand_sides(), cols(), cols()}; }
  bool has_reference() const { return !data_.reference.empty(); }
  /// c × d.
  ConstView reference() const { return {reference_.data(), right_hand_sides(), cols(), cols()}; }

  /// The same problem with another start (d × c); A and b are shared, not copied.
  Problem starting_at(Array x0) const;
  /// The data of the problem; with an intercept A includes the column of ones.
  const ProblemData& data() const { return data_; }

 private:
  ProblemData data_;
  std::vector<double> lower_, upper_, x0_, reference_;
};

/// The d × c array, as in ProblemData and reports, of a c × d view.
Array transposed(ConstView x);

}  // namespace polyak
#pragma GCC visibility pop
