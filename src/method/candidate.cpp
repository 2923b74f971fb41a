#include "method/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spectrum/extremes.hpp"

namespace polyak {

bool SubsetFacts::ill_conditioned() const {
  return unresolved || (full_rank && condition > max_normal_condition);
}

bool CandidateInputs::can_factor() const {
  return std::min(shape.rows, shape.cols) <= most_exact_columns;
}

namespace candidate {

Proposal small_problem() { return rule_out("a small problem is factored at once"); }

std::string too_large_to_factor() {
  return fmt::format("neither rows nor columns are {} or fewer", most_exact_columns);
}

std::string dependent_columns(const CandidateInputs& in) {
  return fmt::format("columns depend on each other: rank {} of {}", in.subset->rank, in.shape.cols);
}

double tol_for_x(const CandidateInputs& in) {
  const double condition = in.subset ? std::max(1.0, in.subset->condition) : 1.0;
  return std::clamp(in.tol * 100.0 / condition, 4e-16, in.tol);
}

}  // namespace candidate
}  // namespace polyak
