#pragma once

/// \file spectrum.hpp
/// Numbers about A and a sampling law that the functions of theory.hpp take as arguments.

#include <cstdint>
#include <vector>

#include "polyak/matrices.hpp"
#include "polyak/options.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct SpectrumFacts {
  Index rows = 0;
  Index cols = 0;
  Index zero_rows = 0;      ///< never drawn by any sampling law
  double frobenius2 = 0.0;  ///< ‖A‖_F²
  /// The smallest and largest eigenvalue of AᵀA that is not zero up to rounding.
  double lambda_min = 0.0;
  double lambda_max = 0.0;
  /// False where AᵀA is too large to be formed (more than 3000 columns): the two are then
  /// Lanczos estimates, and lambda_max is an upper bound with probability 0.999. The sketch of
  /// solve and plan is not used here, because it gives no certificate.
  bool exact = false;
  std::vector<double> eigenvalues;   ///< the nonzero ones, ascending; empty unless exact
  std::vector<double> eigenvectors;  ///< row j belongs to eigenvalues[j]; up to 256 columns
  std::vector<double> norms2;        ///< ‖a_i‖²
  std::vector<double> probabilities;
  double eta = 1.0;            ///< max ‖a_i‖²/(p_i ‖A‖_F²)
  double eta_effective = 1.0;  ///< ‖Σ p_i⁻¹‖a_i‖² a_i a_iᵀ‖/(‖A‖_F²·lambda_max)
};

/// Two or three passes over A. Error bad_data for values that are not finite,
/// for a zero matrix, and if squares of entries overflow or underflow. The law must be
/// row_norm, uniform or mixed.
SpectrumFacts spectrum_facts(const MatrixPtr& A, Sampling law, int threads = 0,
                             std::uint64_t seed = 0);

/// Moments of the rows for theory::diag_model; needs facts with eigenvectors.
struct RowScatter {
  std::vector<double> K;  ///< K_ij = Σ_l p_l⁻¹ (v_iᵀa_l)² (v_jᵀa_l)²
  bool sampled = false;   ///< estimated from 20,000 drawn rows
  /// Σ_l p_l⁻¹ r_l² (v_jᵀa_l)²/‖r‖² for a residual of equal size in all rows.
  std::vector<double> even_residual;
};
RowScatter row_scatter(const MatrixPtr& A, const SpectrumFacts& facts, int threads = 0,
                       std::uint64_t seed = 0);

}  // namespace polyak
#pragma GCC visibility pop
