#pragma once

/// \file problem.hpp
/// What is to be solved:  min ½ Σ_i w_i (a_iᵀx − b_i)² + ½·ridge·‖x‖²,
/// optionally with an intercept (a_iᵀx + c in place of a_iᵀx) and with
/// lower ≤ x ≤ upper. Several right-hand sides (columns of b)
/// are solved together and share every read of a row.

#include <vector>

#include "polyak/matrices.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The parts a problem is made of. Arrays from files keep their shape: one row
/// per unknown, one column per right-hand side.
struct ProblemData {
  MatrixPtr A;
  Array b;                      ///< n × c
  std::vector<double> weights;  ///< n numbers ≥ 0; empty means 1
  double ridge = 0.0;           ///< ≥ 0; always about x itself, also with a start vector
  /// The ridge of unknown j is ridge·ridge_factors[j]; empty means 1 for all.
  std::vector<double> ridge_factors;
  /// The unknowns get a last one, c, which is added in every row: A has a column of
  /// ones behind its own, which is not stored. It is never part of the ridge.
  bool intercept = false;
  /// One number, which holds for all but the intercept; or one for each unknown, of
  /// which that of the intercept may be missing. Infinite ones, and empty, mean none.
  std::vector<double> lower;
  std::vector<double> upper;
  Array x0;         ///< one row per unknown, c columns; empty means 0
  Array reference;  ///< alike; a known solution, so that the report can hold the error
};

/// Shapes and parameters are checked when it is made (Error bad_data); values
/// of A are checked as its rows are read. Immutable.
class Problem {
 public:
  explicit Problem(ProblemData data);

  const RowMatrix& A() const { return *data_.A; }
  MatrixPtr matrix() const { return data_.A; }
  Index rows() const { return data_.A->rows(); }
  /// Unknowns, the intercept among them.
  Index cols() const { return data_.A->cols(); }
  bool has_intercept() const { return data_.intercept; }
  Index right_hand_sides() const { return data_.b.cols(); }
  ConstView b() const { return data_.b.view(); }
  const std::vector<double>& weights() const { return data_.weights; }
  double ridge() const { return data_.ridge; }
  /// Of unknown j.
  double ridge(Index j) const {
    return data_.ridge_factors.empty() ? data_.ridge : data_.ridge * data_.ridge_factors[to_size(j)];
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

  /// The same problem from another start (d × c); nothing big is copied.
  Problem starting_at(Array x0) const;
  /// What it was made of; A has its column of ones where there is an intercept.
  const ProblemData& data() const { return data_; }

 private:
  ProblemData data_;
  std::vector<double> lower_, upper_, x0_, reference_;
};

/// A c × d view as the d × c array that ProblemData and reports hold.
Array transposed(ConstView x);

}  // namespace polyak
#pragma GCC visibility pop
