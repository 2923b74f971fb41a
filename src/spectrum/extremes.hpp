#pragma once

// lambda_min and lambda_max of AᵀA: exactly from AᵀA, with error bars from a
// sketch, or by Lanczos; never without saying which.

#include <optional>
#include <string>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/problem.hpp"
#include "spectrum/facts.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/sketch.hpp"

namespace polyak {

/// AᵀA is formed up to here.
constexpr Index most_exact_columns = 3000;

/// Models that need d × d numbers of the rows are used up to here.
constexpr Index most_model_columns = 256;

/// Where the ends of the spectrum come from.
enum class SpectrumBy { automatic, exact, sketch, lanczos };

struct Extremes {
  double lambda_min = 0.0;  ///< the smallest eigenvalue above d·eps·lambda_max
  double lambda_max = 0.0;  ///< where it is estimated, the upper end of its range
  bool exact = false;
  Index sketch_rows = 0;  ///< of the sketch they come from
  Index rank = 0;         ///< of A, where it is known
  Index unresolved = 0;   ///< singular values that count for the rank but lie below that line
  double smallest_singular = 0.0;  ///< … the smallest of them, relative to the largest
  std::string source;  ///< "exact", "sketch of … rows, probability 0.999", "lanczos estimate"
  double rows_read = 0.0;
  /// Error bars, each right with the probability in the source; absent when
  /// exact, and for lambda_min by Lanczos, which has no bound from below.
  std::optional<Range> lambda_min_range, lambda_max_range;
  /// All eigenvalues, ascending, when exact; those of the sketch, moved into
  /// [lambda_min, lambda_max] where they are not zero, when sketched.
  std::vector<double> values;
  std::vector<double> vectors;  ///< row j belongs to values[j]; only when asked for

  /// Eigenvalues above that line.
  Index resolved() const { return rank - unresolved; }
  bool knows_rank() const { return exact || sketch_rows > 0; }
};

/// Of Ã = √W·A·scale.a.
Extremes exact_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        bool with_vectors = false);

/// From a sparse sign sketch, two reads of A. Its bars (sketch_bounds.hpp) are
/// theorems for Gaussian sketches; for sparse signs they are a model, whose
/// coverage tests/spectrum/coverage_test.cpp measures. lambda_max is the
/// upper end; lambda_min is an estimate one standard deviation to the low side,
/// because one that is 5 % too small costs heavy ball 2.5 % of its exponent and
/// one that is 5 % too large 20 %. `rows` of the sketch are more than columns;
/// 0 stands for extremes_sketch_rows.
Extremes sketch_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                         std::uint64_t seed, Index rows = 0);
Index extremes_sketch_rows(Index cols);

/// From `steps` Lanczos steps. lambda_max is an upper bound with probability
/// 1 − 1e-3 (the safe rule of docs/theory); lambda_min is an estimate from
/// above, clipped to [1e-12, 1]·lambda_max.
Extremes lanczos_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                          std::uint64_t seed, Index steps = 40);

/// What `automatic` takes: exact up to most_model_columns, where the models of
/// the noise use the vectors, and where that is about as cheap; beyond
/// most_exact_columns Lanczos; the sketch in between. By sizes alone.
SpectrumBy cheapest_spectrum(const GramSize& A);

/// With vectors up to most_model_columns. Where `automatic` takes the sketch and
/// its bars leave kappa open by more than a factor of 4, it goes on to exact.
Extremes extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                  std::uint64_t seed, SpectrumBy by = SpectrumBy::automatic);

/// nu = ‖A‖_F²·max_i a_iᵀH⁻¹a_i/‖a_i‖² of the two-parameter accelerated
/// Kaczmarz method (errata E11). Exact where AᵀA can be formed; otherwise its
/// bound ‖A‖_F²/min‖a_i‖², which is Liu and Wright's n for unit rows.
double coherence_nu(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team);

/// eta_eff = ‖Σ_i p_i⁻¹‖a_i‖² a_i a_iᵀ‖/(‖A‖_F²·lambda_max) (errata E14), for
/// per-row ratios ‖a_i‖²/p_i; `form` is whether the matrix may be formed (up to
/// most_exact_columns), which costs as much as AᵀA, or 20 Lanczos steps must do.
double effective_eta(const Problem& problem, const MatrixFacts& facts, double lambda_max,
                     std::span<const double> norm2_over_p, ThreadTeam& team, std::uint64_t seed,
                     bool form = true);

}  // namespace polyak
