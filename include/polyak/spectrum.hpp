#pragma once

/// \file spectrum.hpp
/// What A and a sampling law say before anything is solved: the numbers that
/// the functions of theory.hpp ask for.

#include <cstdint>
#include <vector>

#include "polyak/matrices.hpp"
#include "polyak/options.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct SpectrumFacts {
  Index rows = 0;
  Index cols = 0;
  Index zero_rows = 0;      ///< never drawn, whatever the law
  double frobenius2 = 0.0;  ///< ‖A‖_F²
  /// Of the eigenvalues of AᵀA that are not zero up to rounding.
  double lambda_min = 0.0;
  double lambda_max = 0.0;
  /// False where AᵀA is too large to be formed (more than 3000 columns): the two
  /// are then Lanczos estimates, lambda_max from above with probability 0.999.
  /// A sketch, as solve and plan use it, certifies nothing and is not taken here.
  bool exact = false;
  std::vector<double> eigenvalues;   ///< those, ascending; empty unless exact
  std::vector<double> eigenvectors;  ///< row j belongs to eigenvalues[j]; up to 256 columns
  std::vector<double> norms2;        ///< ‖a_i‖²
  std::vector<double> probabilities;
  double eta = 1.0;            ///< max ‖a_i‖²/(p_i ‖A‖_F²)
  double eta_effective = 1.0;  ///< ‖Σ p_i⁻¹‖a_i‖² a_i a_iᵀ‖/(‖A‖_F²·lambda_max)
};

/// Two or three passes over A. Error bad_data for values that are not finite,
/// for a matrix of zeros, and where squares leave the range of numbers. The law
/// is row_norm, uniform or mixed.
SpectrumFacts spectrum_facts(const MatrixPtr& A, Sampling law, int threads = 0,
                             std::uint64_t seed = 0);

/// What theory::diag_model needs of the rows; facts with eigenvectors only.
struct RowScatter {
  std::vector<double> K;  ///< K_ij = Σ_l p_l⁻¹ (v_iᵀa_l)² (v_jᵀa_l)²
  bool sampled = false;   ///< from 20,000 drawn rows rather than from all
  /// Σ_l p_l⁻¹ r_l² (v_jᵀa_l)²/‖r‖² for a residual of equal size in all rows.
  std::vector<double> even_residual;
};
RowScatter row_scatter(const MatrixPtr& A, const SpectrumFacts& facts, int threads = 0,
                       std::uint64_t seed = 0);

}  // namespace polyak
#pragma GCC visibility pop
