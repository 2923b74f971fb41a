#pragma once

// What the eigenvalues of a sketch, (SA)ᵀSA, tell of those of AᵀA: the ends of
// the spectrum with error bars. Pure functions of numbers; docs/theory.md has
// the equations.

#include <span>

#include "polyak/types.hpp"

namespace polyak {

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// How often either range may be wrong.
constexpr double sketch_failure = 1e-3;

struct SketchBounds {
  double lambda_min = 0.0;  ///< leans to the low side, where an error costs least
  Range lambda_min_range, lambda_max_range;
};

/// `values` are the eigenvalues of (SA)ᵀSA that are not zero, ascending, for an
/// S of `rows` rows, more than there are values; `frobenius2` is ‖A‖_F².
SketchBounds sketch_bounds(std::span<const double> values, Index rows, double frobenius2);

}  // namespace polyak
