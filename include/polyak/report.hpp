#pragma once

/// \file report.hpp
/// How a solve went: what was asked, what was used, why it stopped, and what
/// it cost. What was not measured is absent, never a stand-in number.

#include <optional>
#include <string>
#include <vector>

#include "polyak/options.hpp"
#include "polyak/statistics.hpp"

#pragma GCC visibility push(default)
namespace polyak {

enum class Status { converged, limit, diverged, stagnated, interrupted };
std::string to_string(Status status);

/// One line of the history. Norms are over all right-hand sides together.
struct Measurement {
  Index iteration = 0;
  Index row_products = 0;
  double seconds = 0.0;  ///< since the solve began, measuring left out
  double residual_norm = 0.0;
  double gradient_norm = 0.0;
  std::optional<double> relative_residual;  ///< ‖r‖/‖b‖
  std::optional<double> relative_gradient;  ///< the largest |a_jᵀr|/(‖a_j‖‖r‖)
  std::optional<double> error;              ///< ‖x − ref‖/‖ref‖
};

/// What a few rows told instead of a measurement of all.
struct Look {
  Index iteration = 0;
  double distance = 0.0;  ///< how many times above the tolerance, about
};

/// What the run really used. Absent where it does not apply.
struct Used {
  std::optional<double> step_size;
  std::optional<double> momentum;
  std::optional<Index> batch;
  std::optional<std::string> sampling;
  std::optional<double> lambda_min;
  std::optional<double> lambda_max;
  /// "given", "exact", "sketch of … rows, probability 0.999" or "lanczos estimate"
  std::optional<std::string> lambda_min_source;
  std::optional<std::string> lambda_max_source;
  /// [low, high]: the error bars of estimates, both right with the probability in
  /// the source; empty where there are none. lambda_max above is the high end.
  std::vector<double> lambda_min_range, lambda_max_range;
  std::optional<double> frobenius2;
  std::optional<double> eta;
  std::optional<double> eta_effective;
  std::optional<std::string> parameters;  ///< "given", "the paper's" or "tuned for the batch"
  std::optional<double> predicted_rate;   ///< r: the error falls like r^k in mean square
  std::optional<std::string> predicted_rate_kind;  ///< "proved", "model: …" or "estimate: …"
  std::optional<double> ark_mu;
  std::optional<double> ark_nu;
  std::optional<Index> rank;
  /// Singular values up to this part of the largest counted as zero for the rank.
  std::optional<double> rank_threshold;
  std::optional<Index> sketch_rows;
  /// Of A, where a factorisation has shown it: largest to smallest singular value that
  /// counts; with 0.998 probability no smaller than the true one where it is estimated.
  std::optional<double> condition;
  /// How columns were brought to about one size; frobenius2, lambda_min, lambda_max and
  /// condition are then of the scaled matrix. Absent where A was taken as it is.
  std::optional<std::string> column_scaling;
  std::optional<std::string> exchange;  ///< how ranks added up gradients, and why
  std::optional<std::string> device;    ///< where vectors lived and products were computed
  double tol = 0.0;
};

struct Seconds {
  double read = 0.0;
  double setup = 0.0;     ///< everything before the first iteration; its parts:
  double norms = 0.0;     ///< … reading A once: row norms, scales, finiteness
  double table = 0.0;     ///< … the sampling table
  double spectrum = 0.0;  ///< … lambda_min and lambda_max, where not given
  double solve = 0.0;
  double measure = 0.0;
  double total = 0.0;
};

/// Column `column` of A (from 0) is a combination of the columns `on`; of none where
/// it is zero.
struct DependentColumn {
  Index column = 0;
  std::vector<Index> on;
};

/// One thing the automatic choice did: a method it tried, why, and how it went.
struct Stage {
  std::string method;
  std::string why;
  std::optional<double> predicted_seconds;  ///< of a nominal machine (docs/auto.md)
  double seconds = 0.0;
  std::string outcome;
};

struct [[nodiscard]] Report {
  Status status = Status::limit;
  std::string reason;
  std::string method;
  Index iterations = 0;
  Index row_products = 0;           ///< rows the method read
  Index measured_row_products = 0;  ///< rows read to measure
  std::vector<Look> looks;          ///< each spared a measurement
  double passes = 0.0;              ///< row_products / rows
  double bytes_read = 0.0;          ///< of A, by set-up, method and measuring
  /// Pages of 4096 bytes, counted from where the array begins, that the rows
  /// read lie in; where only some rows of a dense A were.
  std::optional<Index> pages_read;
  std::optional<double> residual_norm;
  std::optional<double> gradient_norm;
  std::optional<double> relative_residual;
  std::optional<double> relative_gradient;
  std::optional<double> error;
  /// The smaller of ‖r‖/(Σ_j‖a_j‖|x_j| + ‖b‖) and max_j |a_jᵀr|/(‖a_j‖‖r‖), for the
  /// worst right-hand side: x solves exactly a problem in which every column of A,
  /// and b, differ by no more than about this much.
  std::optional<double> backward_error;
  std::string certified;      ///< what the tolerance was checked on: "full", "sampled", or nothing
  std::vector<Stage> stages;  ///< of the automatic choice
  std::optional<Statistics> statistics;  ///< where asked for
  std::optional<double> measured_rate;   ///< per iteration, over the last part of the history
  SolveOptions asked;
  Used used;
  Seconds seconds;
  Index rows = 0, cols = 0, nnz = 0, right_hand_sides = 0;
  Index zero_rows = 0;
  Index zero_columns = 0;
  /// Where the rank is less than the number of columns and QR has told: without these
  /// columns it is full.
  std::vector<DependentColumn> dependent_columns;
  std::string matrix;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string simd;  ///< the vector instructions in use: "avx512", "avx2", "neon", "plain"
  std::vector<std::string> warnings;
  std::vector<Measurement> history;
  Array x;  ///< d × c, the best finite iterate
};

/// The report as JSON (schema version inside), as the contract fixes it.
std::string to_json(const Report& report);
/// The history as CSV, header line first.
std::string history_csv(const std::vector<Measurement>& history);
/// One line per unknown and right-hand side: estimate, standard error and t
/// value, header line first; what the statistics do not have is left empty.
/// Without names the unknowns are x1, x2, …
std::string statistics_csv(const Report& report, const std::vector<std::string>& names = {});

}  // namespace polyak
#pragma GCC visibility pop
