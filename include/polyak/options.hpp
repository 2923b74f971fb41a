#pragma once

/// \file options.hpp
/// What a user may ask of a solve. Empty optionals mean "auto": chosen for the
/// problem, and the report says what was used.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "polyak/option_table.hpp"

#pragma GCC visibility push(default)
namespace polyak {

enum class Sampling { row_norm, uniform, mixed, given };

/// Ends a run in place of the tolerance, by norms in the user's units (with a ridge, those
/// of the problem with the ridge rows below A): x is an answer where ‖r‖ ≤ residual,
/// ‖Aᵀr‖ ≤ gradient or ‖Aᵀr‖ ≤ cosine·‖A‖‖r‖. Here ‖A‖ is a bound on the largest singular
/// value from below, so that the last is never weaker than it reads. A run whose ‖r‖ passes
/// most_residual has diverged. All zero: only the observer ends the run.
struct StopRule {
  double residual = 0.0;
  double gradient = 0.0;
  double cosine = 0.0;
  double most_residual = std::numeric_limits<double>::infinity();

  void tighten(double factor) {
    residual *= factor;
    gradient *= factor;
    cosine *= factor;
  }
  bool can_end() const { return residual > 0.0 || gradient > 0.0 || cosine > 0.0; }
};

struct SolveOptions {
  std::string method = "auto";
  std::optional<Index> batch_size;
  std::optional<double> step_size;
  std::optional<double> momentum;
  std::optional<double> lambda_min;
  std::optional<double> lambda_max;
  std::string spectrum = "auto";
  std::string parameters = "tuned";
  std::string column_scaling = "auto";
  std::string device = "auto";  ///< where vectors live and products are computed: "auto" or "cpu"
  double gamma = 1e-3;
  std::string sampling = "row-norm";
  double tol = 1e-8;
  std::string certify = "full";
  std::optional<Index> max_iterations;
  std::optional<double> max_passes;
  std::optional<double> time_limit_s;
  std::optional<double> measure_every;
  std::uint64_t seed = 0;
  Index threads = 0;
  bool statistics = false;

  // From the library only.

  /// With sampling "given": one probability per row, positive for every row
  /// that is not zero; they need not sum to one.
  std::vector<double> probabilities;
  /// alpha_k and beta_k for k = 0, 1, …; constant when absent. They win over
  /// step_size and momentum.
  std::function<double(Index)> step_sequence;
  std::function<double(Index)> momentum_sequence;
  /// In place of tol, by which auto and the plans still reckon.
  std::optional<StopRule> stop_rule;
  /// Measure at iterations 0, m, 2m, … exactly, instead of by cost.
  std::optional<Index> measure_every_iterations;
  /// Of time_limit_s, before the solve began: by reading, for instance.
  double time_spent_s = 0.0;
  /// normal: end without an answer where AᵀA does not resolve A, for others to go on.
  bool only_resolved = false;
  /// Give up where the fall of ‖Aᵀr‖, first looked at after four iterations, promises more
  /// iterations than this.
  std::optional<double> most_expected;
  /// Independent runs of one seed differ by stream.
  std::uint64_t stream = 0;
};

/// The one table of what `solve` takes.
std::span<const OptionRecord<SolveOptions>> solve_options();

/// Throws Error usage when a value is outside what the table allows.
void check_values(const SolveOptions& options);

/// Throws Error usage when the options contradict each other or the method
/// (the resolved name, not "auto") would ignore one that was asked for.
void check_options(const SolveOptions& options, const std::string& method);

}  // namespace polyak
#pragma GCC visibility pop
