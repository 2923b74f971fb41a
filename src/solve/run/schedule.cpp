#include "solve/run/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace polyak::internal {

Schedule::Schedule(const SolveOptions& options, Index rows, double rows_per_iteration,
                   std::optional<double> expected, bool looks)
    : every_(options.measure_every_iterations),
      extrapolates_(options.max_expected_iterations.has_value()),
      rows_(static_cast<double>(rows)),
      rows_per_iteration_(std::max(1.0, rows_per_iteration)),
      expected_(expected),
      looks_(looks) {
  if (options.measure_every && !every_) {
    every_ = std::max<Index>(
        1, static_cast<Index>(std::ceil(*options.measure_every * rows_ / rows_per_iteration_)));
  }
}

void Schedule::measured(Index iteration, double distance) {
  previous_iteration_ = iteration_;
  previous_distance_ = distance_;
  iteration_ = iteration;
  distance_ = distance;
}

Index Schedule::next(Index iteration) const {
  if (every_) return (iteration / *every_ + 1) * *every_;
  if (extrapolates_ && iteration < first_extrapolation) return first_extrapolation;
  constexpr double near = 4.0;  // passes
  const double passes = expected_ ? *expected_ * rows_per_iteration_ / rows_ : near;
  if (iteration == 0 && passes < near) {
    const double part = looks_ && passes > 1.0 ? 0.7 : 1.15;
    return std::max<Index>(1, static_cast<Index>(std::ceil(part * *expected_)));
  }
  const double least = std::ceil((looks_ ? 0.1 : 0.5) * rows_ / rows_per_iteration_);
  const double most = std::max(least, 0.25 * static_cast<double>(iteration));
  double wait = most;
  const double fall = std::log(previous_distance_ / distance_);
  if (previous_iteration_ < iteration_ && std::isfinite(fall) && fall > 0.0) {
    const double span = static_cast<double>(iteration_ - previous_iteration_);
    wait = 1.02 * span * std::log(distance_) / fall;
  }
  return iteration + std::max<Index>(1, static_cast<Index>(std::clamp(wait, least, most)));
}

}  // namespace polyak::internal
