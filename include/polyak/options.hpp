#pragma once

/// \file options.hpp
/// The options of a solve. An empty optional means "auto": the value is chosen for
/// the problem, and the report holds the value used.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "polyak/option_table.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The probability of a row: by squared norm, equal, half of each, or given by the caller.
enum class Sampling { row_norm, uniform, mixed, given };

/// A stopping criterion that replaces the tolerance, in norms of the user's units (with a
/// ridge: norms of the problem with the ridge rows below A). The run has converged where
/// ‖r‖ ≤ residual, ‖Aᵀr‖ ≤ gradient or ‖Aᵀr‖ ≤ cosine·‖A‖‖r‖. Here ‖A‖ is a lower bound on
/// the largest singular value, so that the third criterion is never weaker than the exact
/// one. A run whose ‖r‖ exceeds max_residual has diverged. With all three at zero only the
/// observer ends the run.
struct StopRule {
  double residual = 0.0;
  double gradient = 0.0;
  double cosine = 0.0;
  double max_residual = std::numeric_limits<double>::infinity();

  /// Multiplies the three bounds by `factor`.
  void tighten(double factor) {
    residual *= factor;
    gradient *= factor;
    cosine *= factor;
  }
  /// True if at least one of the three criteria can be met.
  bool can_end() const { return residual > 0.0 || gradient > 0.0 || cosine > 0.0; }
};

/// The option of the program with the same meaning stands in brackets where its name differs.
struct SolveOptions {
  /// Name of the algorithm; "auto" chooses it (docs/auto.md).
  std::string method = "auto";
  /// Rows drawn per iteration, with replacement (--batch). Empty: the batch with the least
  /// predicted work, or the paper's B* with parameters "paper".
  std::optional<Index> batch_size;
  /// Constant step α > 0. Empty: chosen from the spectrum (docs/theory.md).
  std::optional<double> step_size;
  /// Constant momentum 0 ≤ β < 1. Empty: chosen from the spectrum.
  std::optional<double> momentum;
  /// Smallest nonzero eigenvalue of AᵀA, if known. Empty: computed as `spectrum` says.
  std::optional<double> lambda_min;
  /// Largest eigenvalue of AᵀA, if known. Empty: computed as `spectrum` says.
  std::optional<double> lambda_max;
  /// How lambda_min and lambda_max are computed: auto, exact (AᵀA), sketch or lanczos.
  std::string spectrum = "auto";
  /// Step and momentum of minibatch methods: "tuned" for the batch, or those of the "paper".
  std::string parameters = "tuned";
  /// "auto": columns whose norms differ by more than a factor 4 are scaled by powers of two;
  /// "none": A is used as it is.
  std::string column_scaling = "auto";
  /// Where vectors are stored and products computed: "auto" (which is "cpu"),
  /// "cpu", "cuda" or "cuda:N" (polyak/devices.hpp).
  std::string device = "auto";
  /// Widening of the spectrum in the formulas for momentum, as a fraction of lambda_min.
  double gamma = 1e-3;
  /// Probability of a row: row-norm, uniform, mixed, or given (`probabilities` below).
  std::string sampling = "row-norm";
  /// Converged when |a_jᵀr| ≤ tol‖a_j‖‖r‖ for every column j, or
  /// ‖r‖ ≤ tol(Σ_j‖a_j‖|x_j| + ‖b‖).
  double tol = 1e-8;
  /// Method auto: the tolerance is checked on all rows ("full"), or on a random sample of
  /// rows where that is sufficient ("sampled").
  std::string certify = "full";
  /// Upper limit of the iterations. Empty: no limit.
  std::optional<Index> max_iterations;
  /// Upper limit of the rows read by the method, in multiples of n. Empty: 10000, and never
  /// less than ten million rows, unless another limit is given.
  std::optional<double> max_passes;
  /// Upper limit of the seconds (--time-limit); x is then the best iterate measured so far.
  std::optional<double> time_limit_s;
  /// Measure the true residual every so many passes. Empty: spaced by cost.
  std::optional<double> measure_every;
  /// Seed of all random numbers; the same seed gives the same bits.
  std::uint64_t seed = 0;
  /// Number of threads; 0 uses all cores, or one for a factorisation that takes less time than
  /// starting threads. The result does not depend on it.
  Index threads = 0;
  /// Also compute the residual variance, R² and standard errors, by a QR of A.
  bool statistics = false;

  // Available in the library only.

  /// With sampling "given": one probability per row, positive for every row
  /// that is not zero; they need not sum to one.
  std::vector<double> probabilities;
  /// alpha_k for k = 0, 1, …; replaces step_size.
  std::function<double(Index)> step_sequence;
  /// beta_k for k = 0, 1, …; replaces momentum.
  std::function<double(Index)> momentum_sequence;
  /// Replaces tol as the stopping criterion; auto and the plans still use tol.
  std::optional<StopRule> stop_rule;
  /// Measure at iterations 0, m, 2m, … exactly, instead of spaced by cost.
  std::optional<Index> measure_every_iterations;
  /// Seconds already used of time_limit_s before the solve began, by reading for instance.
  double time_spent_s = 0.0;
  /// Method normal: end without a solution where AᵀA is numerically singular, so that auto
  /// can continue with another method.
  bool only_resolved = false;
  /// End the run as soon as more iterations than this are predicted, by extrapolating the
  /// decrease of ‖Aᵀr‖; first checked after four iterations.
  std::optional<double> max_expected_iterations;
  /// Number of the random stream: runs with one seed and different streams are independent.
  std::uint64_t stream = 0;
};

/// The table of the options of `solve`.
std::span<const OptionRecord<SolveOptions>> solve_options();

/// Throws Error usage when a value is outside the range in the table.
void check_values(const SolveOptions& options);

/// Throws Error usage when the options contradict each other, or when the
/// method (the resolved name, not "auto") does not use an option that was set.
void check_options(const SolveOptions& options, const std::string& method);

}  // namespace polyak
#pragma GCC visibility pop
