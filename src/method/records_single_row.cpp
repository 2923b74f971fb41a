// Methods that take one row per iteration: sgd, rk and ark.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "method/record.hpp"

namespace polyak {
namespace {

theory::StepAndMomentum sgd_choice(const PlanInputs& in) {
  return {1.0 / (in.eta * in.facts.frobenius2), 0.0};
}

void complete_kaczmarz(const PlanInputs& in, ChosenParameters& p) {
  p.step_size = 1.0 / in.facts.frobenius2;
  p.land_on_rows = true;
}

// Errata E11: mu = lambda_min/‖A‖_F², nu from the rows' leverage.
void complete_accelerated(const PlanInputs& in, ChosenParameters& p) {
  p.mu = in.lambda_min / in.facts.frobenius2;
  p.nu = std::max(coherence_nu(in.problem, in.facts, in.team), *p.mu);
  p.rows_read = 2.0 * static_cast<double>(in.problem.rows());
}

double accelerated_rate(const PlanInputs&, const ChosenParameters& p) {
  return std::sqrt(1.0 - std::sqrt(*p.mu / *p.nu));
}

// A trial, three times as long as rows of one kind need, where it costs little beside the
// first candidate: with noise it fails.
Proposal propose_kaczmarz(const CandidateInputs& in) {
  constexpr double max_passes = 2.0, margin = 1.5, max_share_of_next = 0.3;
  if (in.shape.bounds) return {};
  if (in.small) return candidate::small_problem();
  const double expected = kaczmarz_passes(in.n, in.d, in.tol);
  const double passes = std::clamp(3.0 * expected, 0.25, max_passes);
  if (in.shape.ranks > 1) return rule_out("each step needs the one before: ranks cannot share them");
  if (in.shape.ridge) return rule_out("with a ridge term each row moves all of x");
  if (!(in.n >= 2.0 * in.d)) return rule_out("fewer than twice as many rows as columns");
  if (in.subset || in.subset_first || in.cg_iterations)
    return rule_out("a look at some rows is taken instead");
  if (margin * expected > passes)
    return rule_out(fmt::format("{:.2g} passes or more, even where all rows are alike", expected));
  if (!in.others.empty() &&
      max_share_of_next * in.others.front().seconds <= in.costs.kaczmarz_steps(passes))
    return rule_out("a trial would cost much beside the first candidate");
  return propose(
      {.method = kaczmarz_record().info.name,
       .why = fmt::format("a trial of {:.2g} passes: consistent data may need no more", passes),
       .seconds = in.costs.kaczmarz(expected),
       .passes = passes,
       .may_continue = true});
}

}  // namespace

const MethodRecord& sgd_record() {
  static const MethodRecord record{
      .info = {"sgd", "stochastic gradient descent, one row a step",
               trait::step_size | trait::sampling | trait::bounds | trait::ridge, true},
      .make = make_kaczmarz,
      .plan = {.step_and_momentum = sgd_choice}};
  return record;
}

const MethodRecord& kaczmarz_record() {
  static const MethodRecord record{
      .info = {"rk", "randomized Kaczmarz, one row a step", trait::bounds | trait::ridge, true},
      .make = make_kaczmarz,
      .plan = {.complete = complete_kaczmarz},
      .turn = Turn::trial,
      .propose = propose_kaczmarz,
      .prediction = Prediction::single_row};
  return record;
}

const MethodRecord& accelerated_kaczmarz_record() {
  static const MethodRecord record{
      .info = {"ark", "accelerated randomized Kaczmarz", trait::lambda_min, true},
      .make = make_accelerated_kaczmarz,
      .plan = {
          .complete = complete_accelerated, .rate = accelerated_rate, .proved_when_sampled = true}};
  return record;
}

}  // namespace polyak
