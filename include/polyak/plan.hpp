#pragma once

/// \file plan.hpp
/// A plan before running: facts about A, the predicted cost of each method up to
/// the tolerance, and a recommendation.

#include "polyak/automatic_plan.hpp"
#include "polyak/solve.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// One method as it would run. A number that is not predicted is absent.
struct PlanRow {
  std::string method;
  std::optional<Index> batch;
  std::optional<double> step_size;
  std::optional<double> momentum;
  std::optional<double> rate;  ///< the error falls like rate^k; 1 or more diverges
  std::string kind;  ///< how the numbers are justified: "proved", "bound", "model: …", …
  std::optional<double> certified_rate;    ///< proved for any A with this spectrum
  std::optional<double> stability_number;  ///< q < 1: certified stable
  std::optional<double> iterations;
  std::optional<double> row_products;
  std::optional<double> passes;
  std::optional<double> seconds;  ///< of the iterations, from a short timed run; without set-up
  std::string note;
};

struct PlanReport {
  Index rows = 0, cols = 0, nnz = 0;
  std::optional<Index> rank;             ///< of A, where the spectrum shows it
  std::optional<double> rank_threshold;  ///< singular values up to this part of the largest are 0
  /// Where a QR factorisation found the rank below the number of columns.
  std::vector<DependentColumn> dependent_columns;
  std::string matrix;
  Index zero_rows = 0, zero_columns = 0, duplicate_rows = 0;
  double frobenius2 = 0.0, lambda_min = 0.0, lambda_max = 0.0, kappa = 0.0, kappa_bar = 0.0;
  /// "exact", "sketch of … rows, probability 0.999" or "lanczos estimate"
  std::string spectrum_source;
  /// [low, high] of estimates; lambda_max above is the high end. Empty when exact.
  std::vector<double> lambda_min_range, lambda_max_range;
  std::string sampling;
  double eta = 1.0;
  std::optional<double> eta_effective;
  /// Of the least squares solution, relative to ‖b‖; only with b and few columns.
  std::optional<double> relative_residual;
  double tol = 0.0;
  /// What auto would do; absent for a zero A. Without b the look at some rows
  /// shows facts about A alone.
  std::optional<AutomaticPlan> automatic;
  std::vector<PlanRow> table;   ///< methods one can name
  std::size_t recommended = 0;  ///< index into the table
  std::vector<std::string> remarks;
  double seconds = 0.0;  ///< of planning itself
};

/// b may be absent: then a consistent problem and a solution without a
/// preferred direction are assumed. Uses the options below.
PlanReport make_plan_report(const MatrixPtr& A, const Array& b, const SolveOptions& options);
/// The names of these options in the option table.
const std::vector<std::string>& plan_option_names();

std::string to_json(const PlanReport& plan);

}  // namespace polyak
#pragma GCC visibility pop
