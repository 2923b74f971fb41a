#pragma once

/// \file snapshot.hpp
/// A run at rest, as plain values: with the same problem and options it goes on
/// with the bits of a run that never stopped. checkpoint.hpp keeps it in a file.

#include <vector>

#include "polyak/report.hpp"
#include "polyak/state.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// What one run of one method has come to.
struct RunState {
  SolverState method;
  Index next_measurement = 0;        ///< the iteration at which to measure next
  std::vector<Measurement> history;
  std::vector<double> distances;     ///< from the tolerance, one per line of the history
  std::vector<Look> looks;           ///< those that spared a measurement
  std::vector<double> best;          ///< c × d, the x of the least gradient
  Index best_line = 0;               ///< of the history, where that x was measured
  double best_gradient = 0.0;        ///< in the variables the method works in
  double best_backward_error = 0.0;
  double first_residual = 0.0;
  double largest_x = 0.0;            ///< |x_j| so far, by which a runaway is seen
  std::vector<Index> retreats;       ///< iterations at which it went back to its best x
  Index measured_rows = 0;
  double solve_seconds = 0.0, measure_seconds = 0.0;
};

struct Snapshot {
  std::vector<Report> finished;  ///< of the method auto: the methods it has tried before
  RunState run;
};

}  // namespace polyak
#pragma GCC visibility pop
