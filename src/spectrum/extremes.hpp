#pragma once

// lambda_min and lambda_max of AᵀA: exactly from AᵀA, with error bars from a sketch, or by
// Lanczos. `Extremes::source` names the way.

#include <optional>
#include <string>
#include <vector>

#include "linalg/factor.hpp"
#include "matrix/products.hpp"
#include "polyak/problem.hpp"
#include "spectrum/facts.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/sketch.hpp"

namespace polyak::internal {

/// AᵀA is formed up to this number of columns.
constexpr Index most_exact_columns = 3000;

/// Noise models that need eigenvectors and a d × d matrix are used up to this number of columns.
constexpr Index most_model_columns = 256;

/// How lambda_min and lambda_max are found.
enum class SpectrumBy { automatic, exact, sketch, lanczos };

struct Extremes {
  double lambda_min = 0.0;  ///< the smallest eigenvalue above d·eps·lambda_max
  double lambda_max = 0.0;  ///< an upper bound where it is estimated
  bool exact = false;
  Index sketch_rows = 0;           ///< rows of the sketch in use; 0 without one
  Index rank = 0;                  ///< of A, where it is known
  Index unresolved = 0;            ///< eigenvalues counted in the rank that are below that line
  double smallest_singular = 0.0;  ///< of those, the smallest singular value over the largest
  /// From a QR factorisation, where AᵀA left the rank open; 0 and empty otherwise.
  double rank_threshold = 0.0;
  std::vector<Dependence> dependent;
  std::string source;  ///< "exact", "sketch of … rows, probability 0.999", "lanczos estimate"
  double rows_read = 0.0;
  /// Error bars, each correct with the probability given in `source`; absent when exact, and
  /// for lambda_min by Lanczos, which gives no lower bound.
  std::optional<Range> lambda_min_range, lambda_max_range;
  /// All eigenvalues, ascending, when exact; from a sketch the eigenvalues of the sketch, the
  /// nonzero ones clamped to [lambda_min, lambda_max].
  std::vector<double> values;
  std::vector<double> vectors;  ///< row j belongs to values[j]; only with_vectors

  /// The number of eigenvalues above d·eps·lambda_max.
  Index resolved() const { return rank - unresolved; }
  bool knows_rank() const { return exact || sketch_rows > 0; }
};

/// The Gram matrix of Ã = √W·A·scale.a, computed where A has a copy. Row i counts `times`_i times
/// as much; empty: once.
GramMatrix problem_gram(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        std::span<const double> times = {});

/// All eigenvalues of ÃᵀÃ, Ã = √W·A·scale.a.
Extremes exact_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        bool with_vectors = false);

/// From a sparse sign sketch, in two reads of A. The error bars (sketch_bounds) are theorems for
/// Gaussian sketches and a model for sparse signs; tests/spectrum/coverage_test.cpp measures
/// their coverage. lambda_max is the upper end of its range. lambda_min is an estimate one
/// standard deviation below the most likely value: heavy ball loses 2.5 % of its exponent when
/// it is 5 % too small, and 20 % when it is 5 % too large. `rows` is the size of the sketch,
/// more than the columns; 0 stands for extremes_sketch_rows.
Extremes sketch_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                         std::uint64_t seed, Index rows = 0);
Index extremes_sketch_rows(Index cols);

/// From `steps` Lanczos steps. lambda_max is an upper bound with probability
/// 1 − 1e-3 (the safe rule of docs/theory); lambda_min is an estimate from
/// above, clipped to [1e-12, 1]·lambda_max.
Extremes lanczos_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                          std::uint64_t seed, Index steps = 40);

/// The choice of `automatic`, a function of the sizes only: exact up to most_model_columns,
/// because the noise models use the vectors, and where exact costs about as little as a sketch;
/// Lanczos beyond most_exact_columns; otherwise the sketch.
SpectrumBy cheapest_spectrum(const GramSize& A);

/// With vectors up to most_model_columns. `automatic` is exact up to most_exact_columns where a
/// device computes AᵀA. If `automatic` takes the sketch and its error bars
/// leave a factor of more than 4 between the bounds of kappa, the exact way follows.
Extremes extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                  std::uint64_t seed, SpectrumBy by = SpectrumBy::automatic);

/// nu = ‖A‖_F²·max_i a_iᵀH⁻¹a_i/‖a_i‖² of the two-parameter accelerated
/// Kaczmarz method (errata E11). Exact where AᵀA can be formed; otherwise the
/// upper bound ‖A‖_F²/min‖a_i‖², which is Liu and Wright's n for unit rows.
double coherence_nu(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team);

/// eta_eff = ‖Σ_i p_i⁻¹‖a_i‖² a_i a_iᵀ‖/(‖A‖_F²·lambda_max) (errata E14), for the
/// ratios ‖a_i‖²/p_i of all rows. With `form` the matrix is formed up to most_exact_columns,
/// which costs as much as AᵀA; otherwise 20 Lanczos steps estimate its norm.
double effective_eta(const Problem& problem, const MatrixFacts& facts, double lambda_max,
                     std::span<const double> norm2_over_p, ThreadTeam& team, std::uint64_t seed,
                     bool form = true);

}  // namespace polyak::internal
