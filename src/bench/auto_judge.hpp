#pragma once

// Is an x as good as QR's? Asked of every contender alike on varied problems.

#include "polyak/problem.hpp"
#include "problem/least_squares.hpp"

namespace polyak::bench {

/// The least squares solution x* is found to more than double precision. With D the norms
/// of the columns, the error of x is ‖D(x − x*)‖/‖Dx*‖, which does not depend on the units
/// of the columns; x is good up to
///   max(1e-6, 10 times the error of QR's x in double precision).
/// 1e-6 is what a tolerance of 1e-8 gives on problems that are not hard; harder ones get
/// what their condition allows, and no more.
///
/// Where the solution is not unique to working precision the error is that of the fit,
/// ‖A(x − x*)‖/‖Ax*‖, good up to 1e-6 if x is of least norm, ‖x‖ or ‖Dx‖, within 1 %.
class QualityJudge {
 public:
  QualityJudge(const Problem& problem, ThreadTeam& team);

  bool unique() const { return best_.unique; }
  double allowed() const { return allowed_; }
  double error(ConstView x) const;  ///< x is d × 1
  bool good(ConstView x) const;

 private:
  double fit_error(ConstView x) const;
  bool of_least_norm(ConstView x) const;

  const Problem& problem_;
  RefinedSolution best_;
  std::vector<double> norms_;  // D
  double allowed_ = 0.0;
};

}  // namespace polyak::bench
