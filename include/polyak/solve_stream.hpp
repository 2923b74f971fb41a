#pragma once

/// \file solve_stream.hpp
/// Least squares for rows that can be read once: A may be longer than memory, a pipe, several
/// files.
///
/// The rows are factored by Householder QR while they are read, in memory that does not grow with
/// their number (beside b and the weights, where these are given apart). x, rank, condition, ‖r‖
/// and the statistics follow from the triangle; the report says what of the tolerance is proved,
/// and what was checked on a random sample of rows (docs/large-data.md). The bits depend on the
/// rows alone, not on threads or on the sizes in which they arrive.

#include <functional>
#include <vector>

#include "polyak/options.hpp"
#include "polyak/report.hpp"
#include "polyak/row_stream.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The parts of a problem besides the rows of A, as in ProblemData.
struct StreamProblem {
  Array b;                      ///< n × c; empty where each row comes with its element of b
  std::vector<double> weights;  ///< n numbers ≥ 0; empty means 1
  double ridge = 0.0;
  bool intercept = false;
  /// Rows with NaN or Inf in A, b or the weights are left out and counted.
  bool drop_nonfinite_rows = false;
  Array reference;
};

/// Reads all rows and solves. `progress` is called after each piece, with the number of rows read
/// so far, by one thread at a time; an exception from it, or from the stream, ends the solve and is
/// passed on: time_limit_s is up to it. Error usage for options that need rows more than once
/// (check_stream_options), bad_data for data that are wrong.
[[nodiscard]] Report solve_stream(RowStream& rows, const StreamProblem& problem,
                                  const SolveOptions& options = {},
                                  const std::function<void(Index rows)>& progress = {});

/// Error usage, naming the option, for options that cannot be met by one read of the rows.
void check_stream_options(const SolveOptions& options);

/// Bytes that solve_stream takes for so many columns and right-hand sides, besides b and the
/// weights (and the text of the rows in progress). threads 0: all cores.
double stream_bytes(Index cols, Index right_hand_sides, Index threads);

}  // namespace polyak
#pragma GCC visibility pop
