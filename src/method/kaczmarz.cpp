#include <fmt/format.h>

#include <algorithm>

#include "method/record.hpp"

namespace polyak::internal {
namespace {

// One row a step, in order, on one thread:
//   x_{k+1} = x_k − (alpha_k w_j/p_j)(a_jᵀx_k − b_j) a_j.
// With row-norm sampling and alpha = 1/‖A‖_F² the factor is 1/‖a_j‖² and the step projects x
// onto the sampled equation (errata E3): that is randomized Kaczmarz, which computes 1/‖a_j‖²
// from the norm of the row and not from p_j.
class Kaczmarz final : public Method {
 public:
  explicit Kaczmarz(const Setting& setting)
      : Method(setting),
        random_(setting.parameters.seed, stream::sampling + setting.parameters.stream) {}

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; k += chunk) take_steps(k, std::min(last, k + chunk));
    counters_.row_products += last - first;
    counters_.iteration = last;
  }

 private:
  static constexpr Index chunk = 1024;

  void take_steps(Index first, Index last) {
    const std::size_t count = to_size(last - first);
    const std::span rows(rows_, count);
    setting_.sampler->draw_sequence(random_, first, rows);
    for (std::size_t t = 0; t < count; ++t)
      steps_[t] = step(first + static_cast<Index>(t), rows[t]);
    if (first == 0) backend().clamp(x_);  // all later steps keep x within the bounds
    backend().row_steps(rows, std::span<const double>(steps_, count), x_);
  }

  double step(Index k, Index j) const {
    const auto& w = setting_.problem.weights();
    const double own = w.empty() ? 1.0 : w[to_size(j)];
    if (setting_.parameters.project_on_rows) return own / setting_.facts.norms2[to_size(j)];
    return setting_.parameters.step_size(k) * own / setting_.sampler->probability(j);
  }

  Random random_;
  Index rows_[chunk];
  double steps_[chunk];
};

// A ridge term changes all of x in every step: then it is a gradient step with batch 1.
std::unique_ptr<Method> make_kaczmarz(const Setting& setting) {
  if (setting.problem.ridge() > 0.0) return gradient_descent_record().make(setting);
  return std::make_unique<Kaczmarz>(setting);
}

theory::internal::StepAndMomentum sgd_choice(const PlanInputs& in) {
  return {1.0 / (in.eta * in.facts.frobenius2), 0.0};
}

void complete_kaczmarz(const PlanInputs& in, ChosenParameters& p) {
  p.step_size = 1.0 / in.facts.frobenius2;
  p.project_on_rows = true;
}

// A trial, three times as long as a matrix of similar rows needs, where it costs little
// compared with the first candidate: with noise it fails.
Proposal propose_kaczmarz(const CandidateInputs& in) {
  constexpr double max_passes = 2.0, margin = 1.5, max_share_of_next = 0.3;
  if (in.shape.bounds) return {};
  if (in.small) return candidate::small_problem();
  const double expected = kaczmarz_passes(in.n, in.d, in.tol);
  const double passes = std::clamp(3.0 * expected, 0.25, max_passes);
  if (in.shape.ranks > 1)
    return rule_out("each step needs the one before: ranks cannot share them");
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

}  // namespace polyak::internal
