#pragma once

// Statistics of a fit from its QR factorisation.

#include <vector>

#include "polyak/report.hpp"
#include "solve/report/regression_factor.hpp"

namespace polyak {

/// A fit in the variables of the factor: x̃ = x·2^(of_b − of_a), rows of b̃ = b·2^of_b.
struct RegressionFit {
  double observations = 0.0;  ///< Σ w_i
  bool centred = false;       ///< some column of A is constant
  bool ridge = false, bounds = false;
  std::vector<std::vector<double>> x = {};  ///< x̃ of each right-hand side
  std::vector<double> total2 = {};          ///< Σ w (b̃ − mean)², or about zero
  std::vector<double> b_norms = {};         ///< ‖b̃‖
  const ColumnMap* map = nullptr;           ///< from x̃ to the user's columns
  int of_a = 0, of_b = 0, of_residual = 0;  ///< exponents; of_residual: of r̃ beside the user's r
};

/// The statistics of report.x; what must be said about them becomes a warning in the report.
Statistics regression_statistics(const RegressionFactor& factor, const RegressionFit& fit,
                                 Report& report);

/// A warning about the statistics.
void warn_of_statistics(const std::string& sentence, Report& report);

}  // namespace polyak
