#pragma once

/// \file problem.hpp
/// What is to be solved:  min ½ Σ_i w_i (a_iᵀx − b_i)² + ½·ridge·‖x‖²,
/// optionally with lower ≤ x ≤ upper. Several right-hand sides (columns of b)
/// are solved together and share every read of a row.

#include <vector>

#include "polyak/matrices.hpp"

namespace polyak {

/// The parts a problem is made of. Arrays from files keep their shape: one row
/// per unknown, one column per right-hand side.
struct ProblemData {
  MatrixPtr A;
  Array b;                      ///< n × c
  std::vector<double> weights;  ///< n numbers ≥ 0; empty means 1
  double ridge = 0.0;           ///< ≥ 0; always about x itself, also with a start vector
  std::vector<double> lower;    ///< one number, or d; empty means none, so do infinite ones
  std::vector<double> upper;
  Array x0;         ///< d × c; empty means 0
  Array reference;  ///< d × c; a known solution, so that the report can hold the error
};

/// Shapes and parameters are checked when it is made (Error bad_data); values
/// of A are checked as its rows are read. Immutable.
class Problem {
 public:
  explicit Problem(ProblemData data);

  const RowMatrix& A() const { return *data_.A; }
  MatrixPtr matrix() const { return data_.A; }
  Index rows() const { return data_.A->rows(); }
  Index cols() const { return data_.A->cols(); }
  Index right_hand_sides() const { return data_.b.cols(); }
  ConstView b() const { return data_.b.view(); }
  const std::vector<double>& weights() const { return data_.weights; }
  double ridge() const { return data_.ridge; }

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

 private:
  ProblemData data_;
  std::vector<double> lower_, upper_, x0_, reference_;
};

/// A c × d view as the d × c array that ProblemData and reports hold.
Array transposed(ConstView x);

}  // namespace polyak
