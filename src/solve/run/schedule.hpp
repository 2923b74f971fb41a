#pragma once

// What follows from the distances to the tolerance that were measured so far: when to measure
// again, and whether the run stagnates.
//
// A measurement costs one read of A, so the next one is due
//  - at least half a pass after the last (a tenth, where a test on a few rows may replace it),
//  - at most a quarter of the work so far after it,
//  - and between these where the last two predict that the tolerance is met.

#include <cmath>
#include <optional>
#include <vector>

#include "polyak/options.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

class Schedule {
 public:
  /// `expected`: iterations to the tolerance, where theory predicts them; the first measurement
  /// is made then, unless that is many passes away. `looks`: before a measurement a test on a
  /// few rows decides whether it is needed, so that it may be due more often and earlier.
  Schedule(const SolveOptions& options, Index rows, double rows_per_iteration,
           std::optional<double> expected, bool looks = false);

  /// The first measurement from which the number of iterations is extrapolated.
  static constexpr Index first_extrapolation = 4;

  /// The iteration at which to measure next.
  Index next(Index iteration) const;
  void measured(Index iteration, double distance);

 private:
  std::optional<Index> every_;  // a fixed number of iterations
  bool extrapolates_;           // the number of iterations is limited by extrapolation
  double rows_, rows_per_iteration_;
  std::optional<double> expected_;
  bool looks_;
  Index iteration_ = 0, previous_iteration_ = 0;
  double distance_ = 0.0, previous_distance_ = 0.0;
};

/// Whether the distances have stopped falling: the mean of the second half of the work is compared
/// with that of the three eighths before. A minibatch run on inconsistent data ends in such a
/// plateau, its convergence horizon; a constant residual is never reported as convergence.
class Plateau {
 public:
  /// `patience`: iterations below which no plateau is reported, so that the first oscillation
  /// of a momentum method is not taken for one.
  explicit Plateau(double patience) : patience_(patience) {}

  void measured(Index iteration, double distance) {
    measured_.push_back({static_cast<double>(iteration), std::log(distance)});
  }

  /// The mean logarithm fell by less than log(1/0.7) while the work more than doubled. Means,
  /// because at the horizon single measurements vary.
  bool reached() const {
    if (measured_.empty() || measured_.back().iteration < patience_) return false;
    const double end = measured_.back().iteration;
    Mean before, after;
    for (const Point& p : measured_) {
      if (p.iteration > 0.5 * end)
        after.add(p.level);
      else if (p.iteration > 0.125 * end)
        before.add(p.level);
    }
    return before.count >= 3 && after.count >= 3 && after.value() > before.value() + std::log(0.7);
  }

 private:
  struct Point {
    double iteration, level;
  };
  struct Mean {
    double sum = 0.0;
    int count = 0;
    void add(double v) { sum += v, ++count; }
    double value() const { return sum / count; }
  };
  double patience_;
  std::vector<Point> measured_;
};

}  // namespace polyak::internal
