#pragma once

/// \file statistics.hpp
/// Regression statistics for the model b = A·x + noise, where the noise is
/// independent from row to row with one unknown variance (docs/statistics.md).

#include <optional>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Vectors have one number per right-hand side, arrays are d × c. A field to which
/// the classical formulas do not apply is empty, and a warning in the report gives
/// the reason.
struct Statistics {
  double observations = 0.0;  ///< n = Σ w_i: a weight is the number of copies of its row
  std::optional<Index> rank;  ///< p, the rank of √W A to working precision
  std::optional<double> degrees_of_freedom;     ///< n − p
  std::vector<double> residual_sum_of_squares;  ///< RSS = Σ w_i r_i²
  std::vector<double> residual_variance;        ///< s² = RSS/(n − p)
  /// True where a column of A is constant: r_squared is then about the mean of b,
  /// otherwise about zero.
  bool centred = false;
  std::vector<std::optional<double>> r_squared;  ///< 1 − RSS/TSS; absent where b does not vary
  Array standard_errors;                         ///< s·√((AᵀWA)⁻¹)_jj
  Array t_values;                                ///< x_j divided by its standard error
  /// Distance of x from the least squares solution x*, in standard errors, along the
  /// worst direction: ‖√W A(x − x*)‖/s, of the worst right-hand side.
  std::optional<double> distance;
};

}  // namespace polyak
#pragma GCC visibility pop
