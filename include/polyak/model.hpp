#pragma once

/// \file model.hpp
/// A linear model as a file: coefficients with the names of their columns, to predict the targets
/// of other rows (docs/models.md).

#include <optional>
#include <string>
#include <vector>

#include "polyak/report.hpp"
#include "polyak/row_matrix.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// target_k = intercept_k + Σ_j coefficient_jk · column_j.
struct LinearModel {
  std::vector<std::string> columns;     ///< d names; empty: columns are known by their position
  std::vector<std::string> targets;     ///< c names
  Array coefficients;                   ///< d × c
  std::vector<double> intercepts = {};  ///< c; empty: 0
  /// Of each column, in the rows of the fit; empty if not known.
  std::vector<double> lowest = {}, highest = {};
  // How it was fitted.
  Index rows = 0;
  std::string method = {}, status = {}, reason = {};
};

/// From a solve, without ranges. `names` are those of the unknowns, the intercept included, or
/// empty; so may `targets` be, which then are "y1", "y2", … The last unknown is the intercept if
/// there is one.
LinearModel linear_model(const Report& report, bool has_intercept,
                         const std::vector<std::string>& names,
                         const std::vector<std::string>& targets);
/// Finds `lowest` and `highest` by a read of A, whose first columns are those of the model.
void find_ranges(const RowMatrix& A, LinearModel& model);

/// JSON; numbers keep their bits.
std::string to_json(const LinearModel& model);
/// Error bad_data, naming the file, if it is not what to_json() writes.
LinearModel read_model(const std::string& path);

/// Error bad_data, for `where`, that names all columns of the model that are not among `names`, or
/// one that is there twice.
void check_columns(const LinearModel& model, const std::vector<std::string>& names,
                   const std::string& where);

/// n × c targets of the rows of A. With `names` the columns are found by name, in any order, and A
/// may have others, which take no part (check_columns). Without names on either side A has the
/// columns of the model in their order.
Array predictions(const LinearModel& model, const RowMatrix& A,
                  const std::vector<std::string>& names, Index threads = 0);

/// Columns of A with values beyond those of the fit: the prediction extrapolates there.
struct Extrapolation {
  std::string column = {};
  Index rows = 0;                      ///< with such a value
  double lowest = 0.0, highest = 0.0;  ///< in A
  double fitted_lowest = 0.0, fitted_highest = 0.0;
};
std::vector<Extrapolation> extrapolations(const LinearModel& model, const RowMatrix& A,
                                          const std::vector<std::string>& names);

/// Of one target. With e = b − prediction, over n rows.
struct Score {
  double root_mean_square = 0.0;    ///< √(Σe²/n)
  double mean_absolute = 0.0;       ///< Σ|e|/n
  std::optional<double> r_squared;  ///< 1 − Σe²/Σ(b − mean b)²; absent where b does not vary
};
/// Both n × c, n at least 1.
std::vector<Score> scores(ConstView predicted, ConstView b);

}  // namespace polyak
#pragma GCC visibility pop
