#pragma once

// What the eigenvalues of a sketch, (SA)ᵀSA, tell of those of AᵀA: the ends of
// the spectrum with error bars. Pure functions of numbers; docs/theory.md has
// the equations.

#include <span>

#include "polyak/types.hpp"

namespace polyak {

/// A number and the interval it lies in; all bars of one sketch hold together
/// with probability 1 − sketch_failure.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// How often any of the bars may be wrong.
constexpr double sketch_failure = 1e-3;

struct SketchBounds {
  Estimate lambda_min;  ///< its value leans to the low side, where an error costs least
  Estimate lambda_max;  ///< its value leans to the high side
};

/// `values` are the eigenvalues of (SA)ᵀSA that are not zero, ascending, for an
/// S of `rows` rows, more than there are values; `frobenius2` is ‖A‖_F².
SketchBounds sketch_bounds(std::span<const double> values, Index rows, double frobenius2);

}  // namespace polyak
