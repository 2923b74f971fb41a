#include "solve/part_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyak {

// What is left of r where rows agree lies in the range of A, and then ‖Aᵀr‖ is σ_min‖r‖ at
// least: 1/(c√d) of ‖A‖_F‖r‖ or more at a condition of c. Below that of 1000 it is noise.
PartWatch::PartWatch(Runs& runs, Index cols)
    : runs_(runs), enough_(1e-3 / std::sqrt(static_cast<double>(cols))) {}

void PartWatch::measured(const Measurement& m) {
  contradict_ = m.iteration > 0 && m.relative_gradient && *m.relative_gradient <= enough_;
}

void PartWatch::explain(Report& report) const {
  if (!ended_ || report.status != Status::interrupted) return;
  report.status = Status::stagnated;
  report.reason = "these rows contradict each other";
}

std::optional<double> expected_steps(const Report& part, double tol) {
  if (part.history.size() < 2) return std::nullopt;
  const double first = part.history.front().gradient_norm;
  const double last = part.history.back().gradient_norm;
  const double fall = std::log(first / last);
  if (!(fall > 0.0)) return std::numeric_limits<double>::infinity();
  return std::max(1.0, static_cast<double>(part.iterations) * std::log(1.0 / tol) / fall);
}

}  // namespace polyak
