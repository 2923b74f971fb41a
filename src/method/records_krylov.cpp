// Conjugate gradients in three forms: cgls, lsqr and cg.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "method/record.hpp"

namespace polyak {
namespace {

// Of length n: the state's, also in what is saved of it, and one of a rank's rows.
double memory_of_row_vectors(const WorkingMemory& m) {
  return m.c() * (2.0 * m.n() + std::max(m.own_rows(), m.d()) + 4.0 * m.d());
}

// The condition of so many independent rows with uncorrelated columns: a subset is worse
// conditioned than all rows by the ratio of two of these.
double condition_of_random_rows(double rows, double d) {
  const double root = std::max(1.5, std::sqrt(rows / d));
  return (root + 1.0) / (root - 1.0);
}

// ‖Aᵀb‖/(‖A‖_F‖r‖), about: the signal lies in d directions, noise in n.
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

std::string cg_name() { return one_read_cg_record().info.name; }

// Where the number of iterations is unknown: a trial, if a matrix of independent entries
// would take clearly less time than the cheapest factorisation, and if four iterations and a
// measurement, from which the number is extrapolated, cost little beside that.
std::optional<Candidate> cg_trial(const CandidateInputs& in) {
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
  return Candidate{
      .method = cg_name(),
      .why = fmt::format(
          "a trial: given up where its first iterations predict more than {:.0f} in all", limit),
      .seconds = in.costs.krylov(expected, 1.0),
      .passes = limit,
      .max_expected_iterations = limit};
}

// Where neither a trial nor a subset gives the number, it counts as large if there is a
// factorisation to take instead.
double iterations(const CandidateInputs& in) {
  if (in.cg_iterations) return *in.cg_iterations;
  if (in.subset) return iterations_by_condition(in);
  const bool assume_many =
      !in.small && !in.subset_first && !in.factorisations.empty() && !cg_trial(in);
  return assume_many ? std::min(in.n, in.d) : candidate::unknown_iterations;
}

std::string why_cg(const CandidateInputs& in) {
  if (in.cg_iterations && !std::isfinite(*in.cg_iterations))
    return "no estimate: it made no progress on a subset of the rows";
  if (in.cg_iterations)
    return fmt::format("about {:.0f} iterations, by a subset of the rows", *in.cg_iterations);
  return in.subset ? "few iterations at this conditioning"
                   : "few iterations where well conditioned";
}

Proposal propose_cg(const CandidateInputs& in) {
  if (in.small) return candidate::small_problem();
  if (in.ill_conditioned())
    return rule_out(
        fmt::format("too many iterations at a condition of {:.1e}", in.subset->condition));
  if (auto trial = cg_trial(in)) return propose(std::move(*trial));
  Candidate cg{
      .method = cg_name(), .why = why_cg(in), .seconds = in.costs.krylov(iterations(in), 1.0)};
  // All rows may take more iterations than the subset has shown.
  if (in.cg_iterations && std::isfinite(*in.cg_iterations) && !in.factorisations.empty()) {
    cg.passes = 2.0 * *in.cg_iterations + 8.0;
    cg.may_continue = true;
  }
  return propose(std::move(cg));
}

// It needs no facts about A and little memory.
Proposal propose_lsqr(const CandidateInputs& in) {
  return propose({.method = lsqr_record().info.name,
                  .why = "needs no factorisation",
                  .seconds = in.costs.krylov(iterations(in), 2.0)});
}

}  // namespace

const MethodRecord& cgls_record() {
  static const MethodRecord record{
      .info = {"cgls", "conjugate gradients for least squares", trait::ridge, false},
      .make = make_cgls,
      .reads_per_iteration = 2.0,
      .memory = memory_of_row_vectors,
      .krylov = true};
  return record;
}

const MethodRecord& lsqr_record() {
  static const MethodRecord record{
      .info = {"lsqr", "Paige and Saunders' LSQR", trait::ridge, false},
      .make = make_lsqr,
      .reads_per_iteration = 2.0,
      .memory = memory_of_row_vectors,
      .turn = Turn::last,
      .propose = propose_lsqr,
      .krylov = true,
      .prediction = Prediction::krylov};
  return record;
}

const MethodRecord& one_read_cg_record() {
  static const MethodRecord record{
      .info = {"cg", "conjugate gradients, one read of A an iteration", trait::ridge, false},
      .make = make_one_read_cg,
      .turn = Turn::iteration,
      .propose = propose_cg,
      .krylov = true};
  return record;
}

}  // namespace polyak
