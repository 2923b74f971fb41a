#include "method/krylov.hpp"

#include <limits>

namespace polyak::internal {
namespace {

// The condition of so many independent rows with uncorrelated columns: a subset is worse
// conditioned than all rows by the ratio of two of these.
double condition_of_random_rows(double rows, double d) {
  const double root = std::max(1.5, std::sqrt(rows / d));
  return (root + 1.0) / (root - 1.0);
}

// An estimate of ‖Aᵀb‖/(‖A‖_F‖r‖): the signal lies in d directions, noise in n.
double first_gradient(const CandidateInputs& in) {
  const double noise = std::clamp(in.subset->relative_residual, in.tol, 1.0);
  const double signal = std::sqrt(1.0 - noise * noise) / noise;
  return std::min(1.0, signal / std::sqrt(in.d) + 1.0 / std::sqrt(in.n));
}

// The error falls by (c − 1)/(c + 1) or better per iteration, where c is the condition of A
// on its row space; from a start of 0 the iterates stay in that space.
double iterations_by_condition(const CandidateInputs& in) {
  const double of_subset = std::min(in.subset->condition, 1e15);  // may be infinite
  const double rows = static_cast<double>(in.subset->rows_solved);
  const double c = std::max(
      1.2, of_subset * condition_of_random_rows(in.n, in.d) / condition_of_random_rows(rows, in.d));
  return std::clamp(cg_iterations_at(c, 2.0 * first_gradient(in) / in.tol), 3.0, 3.0 * in.d);
}

}  // namespace

std::optional<CgTrial> cg_trial(const CandidateInputs& in) {
  constexpr double share_of_next = 0.8, probe_share = 0.4, probe_iterations = 5.0;
  if (in.subset || in.subset_first || in.cg_iterations) return std::nullopt;
  double next = std::numeric_limits<double>::infinity();
  for (const Candidate& other : in.factorisations) next = std::min(next, other.seconds);
  const double expected =
      random_cg_iterations(in.n, in.d, static_cast<double>(in.shape.nonzeros), in.tol);
  const double limit = std::floor(share_of_next * next / in.costs.pass());
  if (!std::isfinite(limit) || in.costs.krylov(expected, 1.0) > share_of_next * next ||
      in.costs.krylov(probe_iterations, 1.0) > probe_share * next)
    return std::nullopt;
  return CgTrial{expected, limit};
}

double predicted_iterations(const CandidateInputs& in) {
  if (in.cg_iterations) return *in.cg_iterations;
  if (in.subset) return iterations_by_condition(in);
  const bool assume_many =
      !in.small && !in.subset_first && !in.factorisations.empty() && !cg_trial(in);
  return assume_many ? std::min(in.n, in.d) : candidate::unknown_iterations;
}

double memory_of_row_vectors(const WorkingMemory& m) {
  return m.c() * (2.0 * m.n() + std::max(m.own_rows(), m.d()) + 4.0 * m.d());
}

}  // namespace polyak::internal
