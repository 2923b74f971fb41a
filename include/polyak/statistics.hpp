#pragma once

/// \file statistics.hpp
/// What regression users want to know beside x: b = A·x + noise of one
/// unknown variance, independent from row to row (docs/statistics.md).

#include <optional>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Vectors have one number per right-hand side, arrays are d × c. What the
/// classical formulas do not give for this run is empty, and a warning of the
/// report says why.
struct Statistics {
  double observations = 0.0;   ///< n = Σ w_i: a weight counts how often its row is there
  std::optional<Index> rank;   ///< p, of √W A to working precision
  std::optional<double> degrees_of_freedom;        ///< n − p
  std::vector<double> residual_sum_of_squares;     ///< RSS = Σ w_i r_i²
  std::vector<double> residual_variance;           ///< s² = RSS/(n − p)
  /// A column of A is constant: r_squared is about the mean of b. Otherwise it
  /// is about zero.
  bool centred = false;
  std::vector<std::optional<double>> r_squared;    ///< 1 − RSS/TSS; absent where b does not vary
  Array standard_errors;                           ///< s·√((AᵀWA)⁻¹)_jj
  Array t_values;                                  ///< x over its standard error
  /// Of the x found from the least squares solution, in standard errors, along
  /// the worst direction: ‖√W A(x − x*)‖/s, of the worst right-hand side.
  std::optional<double> distance;
};

}  // namespace polyak
#pragma GCC visibility pop
