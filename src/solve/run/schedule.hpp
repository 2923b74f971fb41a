#pragma once

// When to measure. A measurement costs one read of A, so it is due
//  - at least half a pass after the last (a tenth, where a few rows can spare it),
//  - at most a quarter of the work so far after it,
//  - and in between when the last two say the tolerance will be met.

#include <optional>
#include <vector>

#include "polyak/options.hpp"
#include "polyak/types.hpp"

namespace polyak {

class Schedule {
 public:
  /// `expected`: iterations to the tolerance, where theory predicts them; the
  /// first measurement then waits for that, unless it is far away. `looks`: before
  /// a measurement a few rows are asked whether it can be spared, so that it
  /// may come due more often, and before the end.
  Schedule(const SolveOptions& options, Index rows, double rows_per_iteration,
           std::optional<double> expected, bool looks = false);

  /// When the promise of a run is looked at first.
  static constexpr Index first_promise = 4;

  /// The iteration at which to measure next.
  Index next(Index iteration) const;
  void measured(Index iteration, double distance);

 private:
  std::optional<Index> every_;  // a fixed number of iterations
  bool promises_;               // one is asked for
  double rows_, rows_per_iteration_;
  std::optional<double> expected_;
  bool looks_;
  Index iteration_ = 0, previous_iteration_ = 0;
  double distance_ = 0.0, previous_distance_ = 0.0;
};

}  // namespace polyak
