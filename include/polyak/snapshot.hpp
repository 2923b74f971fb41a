#pragma once

/// \file snapshot.hpp
/// The state of a run as plain values. With the same problem and options the run
/// continues from it and gives the same bits as an uninterrupted run.
/// checkpoint.hpp keeps it in a file.

#include <vector>

#include "polyak/report.hpp"
#include "polyak/state.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The state of one run of one method.
struct RunState {
  SolverState method;          ///< vectors and counters of the method
  Index next_measurement = 0;  ///< the iteration of the next measurement
  std::vector<Measurement> history;
  std::vector<double> distances;     ///< backward error / tolerance, per line of the history
  std::vector<Look> looks;           ///< each made one measurement unnecessary
  std::vector<double> best;          ///< c × d, the measured x with the smallest gradient
  Index best_line = 0;               ///< line of the history where `best` was measured
  double best_gradient = 0.0;        ///< ‖g‖ of `best`, in the variables of the method
  double best_backward_error = 0.0;  ///< of `best`
  double first_residual = 0.0;       ///< ‖r‖ of the first measurement
  double largest_x = 0.0;            ///< largest |x_j| so far, to detect divergence
  std::vector<Index> retreats;       ///< iterations at which the run restarted from `best`
  Index measured_rows = 0;           ///< rows read by measurements
  double solve_seconds = 0.0, measure_seconds = 0.0;
};

/// The state of a solve; of the method auto a sequence of runs.
struct Snapshot {
  std::vector<Report> finished;        ///< method auto: reports of the runs that have ended
  RunState run;                        ///< the current run
  std::optional<DiskRates> disk = {};  ///< method auto: by which the runs were chosen
};

}  // namespace polyak
#pragma GCC visibility pop
