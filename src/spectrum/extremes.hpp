#pragma once

// lambda_min and lambda_max of AᵀA, exactly where AᵀA can be formed, by
// Lanczos otherwise; never without saying which.

#include <optional>
#include <string>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/problem.hpp"
#include "spectrum/facts.hpp"

namespace polyak {

/// AᵀA is formed up to here.
constexpr Index most_exact_columns = 3000;

/// Models that need d × d numbers of the rows are used up to here.
constexpr Index most_model_columns = 256;

struct Extremes {
  double lambda_min = 0.0;  ///< the smallest eigenvalue above d·eps·lambda_max
  double lambda_max = 0.0;
  bool exact = false;
  Index rank = 0;           ///< eigenvalues above that line, when exact
  std::string source;       ///< "exact" or "lanczos estimate"
  double rows_read = 0.0;
  std::vector<double> values;   ///< all eigenvalues, ascending, when exact
  std::vector<double> vectors;  ///< row j belongs to values[j]; only when asked for
};

/// Of Ã = √W·A·scale.a.
Extremes exact_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        bool with_vectors = false);

/// From `steps` Lanczos steps. lambda_max is an upper bound with probability
/// 1 − 1e-3 (the safe rule of docs/theory); lambda_min is an estimate from
/// above, clipped to [1e-12, 1]·lambda_max.
Extremes lanczos_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                          std::uint64_t seed, Index steps = 40);

/// exact up to most_exact_columns columns, Lanczos beyond; with vectors up to
/// most_model_columns, where the models of the noise use them.
Extremes extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                  std::uint64_t seed);

/// nu = ‖A‖_F²·max_i a_iᵀH⁻¹a_i/‖a_i‖² of the two-parameter accelerated
/// Kaczmarz method (errata E11). Exact where AᵀA can be formed; otherwise its
/// bound ‖A‖_F²/min‖a_i‖², which is Liu and Wright's n for unit rows.
double coherence_nu(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team);

/// eta_eff = ‖Σ_i p_i⁻¹‖a_i‖² a_i a_iᵀ‖/(‖A‖_F²·lambda_max) (errata E14), for
/// per-row ratios ‖a_i‖²/p_i.
double effective_eta(const Problem& problem, const MatrixFacts& facts, double lambda_max,
                     std::span<const double> norm2_over_p, ThreadTeam& team, std::uint64_t seed);

}  // namespace polyak
