#pragma once

// What is known of a run while it lasts: for callbacks, for progress, and for the report of a run
// that is left in the middle of a step.

#include <cstddef>
#include <vector>

#include "polyak/solve.hpp"

namespace polyak::python {

struct Progress {
  Index iteration = 0, row_products = 0;
  double residual = 0.0;  ///< ‖r‖ of the last measurement
};

class RunRecord {
 public:
  void measured_x(ConstView x);
  void measured(Measurement line);
  void progress(Index iteration, Index row_products);

  const std::vector<Measurement>& history() const { return history_; }
  /// c × d, of the latest measurement.
  const std::vector<double>& latest_x() const { return latest_; }
  Index vectors() const { return vectors_; }
  Progress now() const { return now_; }

  /// Status interrupted, the history, and the measured x with the smallest residual; the start if
  /// nothing was measured.
  Report report(const Problem& problem, const SolveOptions& options) const;

 private:
  std::vector<Measurement> history_;
  std::vector<double> latest_, best_;
  std::size_t best_line_ = 0;
  Index vectors_ = 1;
  Measurement previous_;  // last line of the methods that auto ran before
  Progress now_;
};

}  // namespace polyak::python
