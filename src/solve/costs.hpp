#pragma once

// What things cost, in seconds of a nominal machine of two cores: enough to
// tell which method is cheaper. The rates are constants, not measurements of
// the moment, so that the same problem gets the same method, and the same
// bits, every time and everywhere.

#include "polyak/shape.hpp"
#include "spectrum/gram.hpp"

namespace polyak {

/// What AᵀA and Aᵀb are made of.
GramSize gram_size(const ProblemShape& shape);

struct Costs {
  /// Seconds of work that are not worth looking for anything better.
  static constexpr double at_once = 5e-3;

  explicit Costs(const ProblemShape& shape);
  explicit Costs(const Problem& problem) : Costs(shape_of(problem)) {}

  double pass() const { return pass_; }       ///< one read of A: a fused gradient
  double gram() const { return gram_; }       ///< AᵀA and Aᵀb
  double look(double rows) const;             ///< so many rows solved, by singular values
  double gram_look(double rows) const;        ///< … by normal equations
  double sketch() const;                      ///< one read, each entry added eight times
  double kaczmarz(double passes) const;       ///< row after row on one core, and a check
  double kaczmarz_steps(double passes) const; ///< without the check
  /// so many iterations of one read each (cg), or of two and vectors of length n (lsqr)
  double krylov(double steps, double passes) const;
  double normal() const;                      ///< normal equations
  double direct() const;
  double active_set() const;                  ///< bounds, exactly
  /// to `digits` e-folds, with the best sketch
  double sketched(double digits) const;
  /// rows of that sketch
  Index sketch_rows(double digits) const;

 private:
  double qr(double rows) const;  // R of so many rows of A's width
  double cholesky() const;
  double sketched_with(double ratio, double digits) const;

  double n_, d_, c_, bytes_, pass_;
  double around_;  // what any run reads beside its iterations
  double vectors_, factor_, gram_, kaczmarz_;
};

}  // namespace polyak
