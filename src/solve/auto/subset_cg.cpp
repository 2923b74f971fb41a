#include "solve/auto/subset_cg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyak {

// For consistent rows r lies in the range of A, so that ‖Aᵀr‖ ≥ σ_min‖r‖, which is at least
// 1/(c√d) of ‖A‖_F‖r‖ at a condition of c. Below that of c = 1000 the rest of r is noise.
SubsetWatch::SubsetWatch(Runs& runs, Index cols)
    : runs_(runs), noise_gradient_(1e-3 / std::sqrt(static_cast<double>(cols))) {}

void SubsetWatch::measured(const Measurement& m) {
  inconsistent_ = m.iteration > 0 && m.relative_gradient && *m.relative_gradient <= noise_gradient_;
}

void SubsetWatch::explain(Report& report) const {
  if (!ended_ || report.status != Status::interrupted) return;
  report.status = Status::stagnated;
  report.stopped_by = StoppedBy::inconsistent;
  report.reason = "these rows contradict each other";
}

std::optional<double> expected_iterations(const Report& subset, double tol) {
  if (subset.history.size() < 2) return std::nullopt;
  const double first = subset.history.front().gradient_norm;
  const double last = subset.history.back().gradient_norm;
  const double fall = std::log(first / last);
  if (!(fall > 0.0)) return std::numeric_limits<double>::infinity();
  return std::max(1.0, static_cast<double>(subset.iterations) * std::log(1.0 / tol) / fall);
}

}  // namespace polyak
