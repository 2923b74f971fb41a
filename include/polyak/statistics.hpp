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
  /// P(|T| ≥ |t_j|) of Student's t with n − p degrees of freedom, if the true x_j were 0.
  Array p_values;
  /// Of each right-hand side, absent where the formula does not apply: with k = 1 if centred and
  /// 0 otherwise, 1 − (1 − R²)(n − k)/(n − p),
  std::vector<std::optional<double>> adjusted_r_squared;
  /// F = ((TSS − RSS)/(p − k))/s², and P(F' ≥ F) if all but the constant were 0,
  std::vector<std::optional<double>> f_statistic, f_p_value;
  /// −2 ln L + 2p and −2 ln L + p ln n, L the likelihood of normal noise of variance RSS/n.
  std::vector<std::optional<double>> aic, bic;
  /// Distance of x from the least squares solution x*, in standard errors, along the
  /// worst direction: ‖√W A(x − x*)‖/s, of the worst right-hand side.
  std::optional<double> distance;
};

/// t with P(|T| ≤ t) = confidence: x_j ± t·(its standard error) is a confidence interval.
/// 0 < confidence < 1.
double student_quantile(double confidence, double degrees_of_freedom);

}  // namespace polyak
#pragma GCC visibility pop
