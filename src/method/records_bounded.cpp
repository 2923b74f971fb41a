// Methods for lower and upper bounds: active-set, exact, and bounded-cg.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "method/record.hpp"

namespace polyak {
namespace {

// method/active_set: R, or the rows of a wide A; scaled, with its Gram matrix, and twice
// for the free columns. Where A is not of full rank, its singular values.
double active_set_memory(const WorkingMemory& m) {
  const double width = m.d() + m.c(), small = std::min(m.n(), m.d()) * width;
  return m.n() < m.d() ? 7.0 * small : std::max(m.factor(m.n(), width), 5.0 * width * width);
}

double bounded_cg_memory(const WorkingMemory& m) { return 6.0 * m.c() * m.d(); }

Proposal propose_active_set(const CandidateInputs& in) {
  if (!in.shape.bounds) return {};
  if (!in.can_factor()) return rule_out(candidate::too_large_to_factor());
  if (const double bytes = 5.0 * std::min(in.n, in.d) * in.d * 8.0;
      bytes > candidate::max_square_bytes)
    return rule_out(fmt::format("its factors take {:.2g} GB", bytes / 1e9));
  return propose({.method = active_set_record().info.name,
                  .why = "exactly, by QR and the columns off their bounds",
                  .seconds = in.costs.active_set()});
}

// Instead of a factorisation that is too large; or in front of one that takes long, for a
// part of its time.
Proposal propose_bounded_cg(const CandidateInputs& in) {
  constexpr double reads_per_iteration = 1.5, min_trial_iterations = 30.0;
  constexpr double acceptable_seconds = 1.0;  // of an exact solution, at any rate
  if (!in.shape.bounds) return {};
  Candidate out{
      .method = bounded_cg_record().info.name,
      .why = "conjugate gradients within the bounds",
      .seconds = in.costs.krylov(reads_per_iteration * candidate::unknown_iterations, 1.0)};
  if (in.factorisations.empty()) return propose(std::move(out));
  const Candidate& exact = in.factorisations.front();
  const double passes = std::floor(candidate::trial_share * exact.seconds / in.costs.pass());
  if (!(exact.seconds > acceptable_seconds && passes >= min_trial_iterations)) return {};
  out.why = fmt::format("a trial of {:.0f} passes: a quarter of what {} would take", passes,
                        exact.method);
  out.seconds = std::min(out.seconds, passes * in.costs.pass());
  out.passes = passes;
  return propose(std::move(out));
}

}  // namespace

const MethodRecord& active_set_record() {
  static const MethodRecord record{.info = {"active-set", "bounded least squares exactly, by QR",
                                            trait::bounds | trait::ridge, false},
                                   .make = make_active_set,
                                   .memory = active_set_memory,
                                   .turn = Turn::factorisation,
                                   .propose = propose_active_set};
  return record;
}

const MethodRecord& bounded_cg_record() {
  static const MethodRecord record{.info = {"bounded-cg", "conjugate gradients within bounds",
                                            trait::bounds | trait::ridge, false},
                                   .make = make_bounded_cg,
                                   .memory = bounded_cg_memory,
                                   .turn = Turn::iteration,
                                   .propose = propose_bounded_cg};
  return record;
}

}  // namespace polyak
