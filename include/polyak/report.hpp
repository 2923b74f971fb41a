#pragma once

/// \file report.hpp
/// The result of a solve: the options asked for, the parameters used, why it
/// stopped, and what it cost. A quantity that was not measured is absent; no
/// placeholder number stands for it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "polyak/disk_rows.hpp"
#include "polyak/options.hpp"
#include "polyak/statistics.hpp"

#pragma GCC visibility push(default)
namespace polyak {

enum class Status { converged, limit, diverged, stagnated, interrupted };
std::string to_string(Status status);

/// The rule that ended a run; `reason` in the report says the same as a sentence.
enum class StoppedBy {
  residual,        ///< ‖r‖ met the tolerance
  gradient,        ///< |a_jᵀr| met the tolerance for every column
  backward_error,  ///< the tolerance asked for was met, a smaller one of auto was not
  sampled_rows,    ///< all rows checked met the tolerance (certify "sampled")
  no_entries,      ///< A is zero or empty
  method_end,      ///< further iterations of the method cannot change x
  unresolved,      ///< AᵀA does not resolve A
  plateau,         ///< the gradient stopped falling
  extrapolation,   ///< too many more iterations would be needed
  inconsistent,    ///< the rows of a subset contradict each other
  iterations,      ///< limit of iterations
  passes,          ///< limit of passes
  seconds,         ///< time limit
  request,         ///< the observer asked for it
  growth,          ///< the residual grew
  overflow         ///< the iterates are not finite
};
std::string to_string(StoppedBy rule);
/// Nothing for a word that names no rule.
std::optional<StoppedBy> stopped_by_named(const std::string& name);

/// One line of the history: a measurement of the true residual. Norms are over
/// all right-hand sides.
struct Measurement {
  Index iteration = 0;                      ///< iterations done before the measurement
  Index row_products = 0;                   ///< rows read by the method until then
  double seconds = 0.0;                     ///< of iterating so far, without measurements
  double residual_norm = 0.0;               ///< ‖r‖, r = b − Ax
  double gradient_norm = 0.0;               ///< ‖Aᵀr‖
  std::optional<double> relative_residual;  ///< ‖r‖/‖b‖
  std::optional<double> relative_gradient;  ///< the largest |a_jᵀr|/(‖a_j‖‖r‖)
  std::optional<double> error;              ///< ‖x − ref‖/‖ref‖
};

/// An estimate from a small sample of rows which made a measurement of all rows
/// unnecessary.
struct Look {
  Index iteration = 0;    ///< iterations done before the look
  double distance = 0.0;  ///< estimated backward error, in multiples of the tolerance
};

/// The parameters the run used. A field that does not apply is absent.
struct Used {
  std::optional<double> step_size;      ///< α
  std::optional<double> momentum;       ///< β
  std::optional<Index> batch;           ///< B, rows per iteration
  std::optional<std::string> sampling;  ///< the sampling law
  std::optional<double> lambda_min;     ///< smallest nonzero eigenvalue of AᵀA
  std::optional<double> lambda_max;     ///< largest eigenvalue of AᵀA
  /// "given", "exact", "sketch of … rows, probability 0.999" or "lanczos estimate"
  std::optional<std::string> lambda_min_source;
  std::optional<std::string> lambda_max_source;  ///< likewise
  /// [low, high]: error bars of an estimate; both hold with the probability named in
  /// the source. Empty where there are none. lambda_max above is the upper end.
  std::vector<double> lambda_min_range, lambda_max_range;
  std::optional<double> frobenius2;     ///< ‖A‖_F²
  std::optional<double> eta;            ///< η = max_j ‖a_j‖²/(p_j‖A‖_F²)
  std::optional<double> eta_effective;  ///< η_eff ≤ η, relevant for the variance (docs/theory.md)
  std::optional<std::string> parameters;  ///< "given", "the paper's" or "tuned for the batch"
  std::optional<double> predicted_rate;   ///< r: the error decreases like r^k in mean square
  std::optional<std::string> predicted_rate_kind;  ///< "proved", "model: …" or "estimate: …"
  std::optional<double> ark_mu;                    ///< μ of accelerated Kaczmarz (docs/theory.md)
  std::optional<double> ark_nu;                    ///< ν of accelerated Kaczmarz
  std::optional<Index> rank;                       ///< numerical rank of A
  /// Singular values up to this fraction of the largest counted as zero for the rank.
  std::optional<double> rank_threshold;
  std::optional<Index> sketch_rows;  ///< rows s of the sketch S·A
  /// Condition of A, or of the rows looked at where auto solved only these, as a factorisation
  /// has shown it: largest over smallest singular value above the rank threshold. From AᵀA or a
  /// sketch it is an upper bound, at most 1.5 times the condition, with probability 0.998 (for up
  /// to 16 columns with certainty).
  std::optional<double> condition;
  /// How columns were scaled; frobenius2, lambda_min, lambda_max and condition are then
  /// those of the scaled matrix. Absent where A was used as it is.
  std::optional<std::string> column_scaling;
  std::optional<std::string> exchange;  ///< how ranks summed gradients, and why
  /// Where vectors were stored and products computed.
  std::optional<std::string> device;
  double tol = 0.0;  ///< the tolerance
};

struct Seconds {
  double read = 0.0;      ///< reading the input files
  double setup = 0.0;     ///< everything before the first iteration; its parts:
  double norms = 0.0;     ///< … reading A once: row norms, scales, finiteness
  double table = 0.0;     ///< … the sampling table
  double spectrum = 0.0;  ///< … lambda_min and lambda_max, where not given
  double solve = 0.0;     ///< iterations
  double measure = 0.0;   ///< measurements and looks
  double total = 0.0;     ///< the sum of read, setup, solve and measure
};

/// Column `column` of A (from 0) is a linear combination of the columns `on`, of which the
/// intercept is the first. `on` is empty for a zero column.
struct DependentColumn {
  Index column = 0;
  std::vector<Index> on;
};

/// How rows were solved that could be read once only (solve_stream.hpp).
struct StreamUse {
  Index block_rows = 0;    ///< rows that a thread takes at a time
  Index dropped_rows = 0;  ///< left out because a value was not finite
  /// A proved upper bound of backward_error, all rounding of the one read included.
  double backward_error_bound = 0.0;
  Index checked_rows = 0;  ///< rows kept at random, whose residuals were computed from the table
  /// Their root mean square, as a multiple of ‖r‖/√n; absent where ‖r‖ is 0.
  std::optional<double> checked_residual;
  Index inputs = 0;         ///< files, set by the program
  double text_bytes = 0.0;  ///< read from them, decompressed
};

/// One step of the automatic choice: a method that was run, why, and its outcome.
struct Stage {
  std::string method;                       ///< or "check": only the tolerance was checked
  std::string why;                          ///< the reason for the choice
  std::optional<double> predicted_seconds;  ///< on a nominal machine (docs/auto.md)
  double seconds = 0.0;                     ///< measured
  std::string outcome;                      ///< status and reason
};

struct [[nodiscard]] Report {
  Status status = Status::limit;        ///< how the run ended
  std::optional<StoppedBy> stopped_by;  ///< the rule; absent in reports of reconstructions
  std::string reason;                   ///< why it ended, as a sentence
  std::string method;                   ///< the method that produced x
  Index iterations = 0;                 ///< updates of x
  Index row_products = 0;               ///< rows read by the method
  Index measured_row_products = 0;      ///< rows read by measurements
  std::vector<Look> looks;              ///< each made one measurement unnecessary
  double passes = 0.0;                  ///< row_products / rows
  double bytes_read = 0.0;              ///< of A, by set-up, method and measurements
  /// Number of pages of 4096 bytes, counted from the start of the array, that contain
  /// the rows read. Present where only a part of the rows of a dense A was read.
  std::optional<Index> pages_read;
  std::optional<DiskUse> disk;              ///< where the rows of A stay in a file
  std::optional<StreamUse> stream;          ///< where they could be read once only
  std::optional<double> residual_norm;      ///< ‖r‖ of x
  std::optional<double> gradient_norm;      ///< ‖Aᵀr‖ of x
  std::optional<double> relative_residual;  ///< ‖r‖/‖b‖
  std::optional<double> relative_gradient;  ///< the largest |a_jᵀr|/(‖a_j‖‖r‖)
  std::optional<double> error;              ///< ‖x − ref‖/‖ref‖, with a reference
  /// The smaller of ‖r‖/(Σ_j‖a_j‖|x_j| + ‖b‖) and max_j |a_jᵀr|/(‖a_j‖‖r‖), for the
  /// worst right-hand side: x is the exact solution of a problem in which every column
  /// of A, and b, differ by no more than about this relative amount.
  std::optional<double> backward_error;
  std::string certified;  ///< rows on which the tolerance was checked: "full", "sampled" or empty
  /// How the tolerance was tested: "measured on A", or "from A'A" with a bound of the rounding
  /// (then backward_error and relative_gradient are upper bounds), or "from R of one read", with a
  /// bound; empty where it was not.
  std::string verified;
  std::vector<Stage> stages;             ///< of the automatic choice
  std::optional<Statistics> statistics;  ///< where asked for
  std::optional<double> measured_rate;   ///< per iteration, over the last part of the history
  SolveOptions asked;                    ///< the options as given
  Used used;                             ///< the parameters used
  Seconds seconds;                       ///< by phase
  Index rows = 0, cols = 0, nnz = 0, right_hand_sides = 0;  ///< sizes of the problem
  Index zero_rows = 0;                                      ///< rows of A that are zero
  Index zero_columns = 0;  ///< columns of A that are zero, or constant beside an intercept
  /// Present where the rank is below the number of columns and a QR has found out:
  /// without these columns A has full column rank.
  std::vector<DependentColumn> dependent_columns;
  std::string matrix;      ///< storage of A: "dense, double" and the like
  std::uint64_t seed = 0;  ///< of all random numbers
  int threads = 0;         ///< threads used
  std::string simd;        ///< the vector instructions in use: "avx512", "avx2", "neon", "plain"
  std::vector<std::string> warnings;  ///< one sentence each
  std::vector<Measurement> history;   ///< iteration 0 included
  Array x;                            ///< d × c, the best finite iterate
};

/// "area depends on length, width; empty is zero": the first few, by the names of the columns.
std::string dependences_text(const std::vector<DependentColumn>& columns,
                             const std::function<std::string(Index)>& name);

/// The report as JSON; the schema version is a field of it.
std::string to_json(const Report& report);
/// The history as CSV, header line first.
std::string history_csv(const std::vector<Measurement>& history);
/// One line per unknown and right-hand side: estimate, standard error, t value, p value and the
/// ends of the confidence interval, header line first; absent values are empty cells. Without names
/// the unknowns are called x1, x2, …
std::string statistics_csv(const Report& report, const std::vector<std::string>& names = {},
                           double confidence = 0.95);

}  // namespace polyak
#pragma GCC visibility pop
