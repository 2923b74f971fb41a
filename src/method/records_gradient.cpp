// gd, hbm, nag and their minibatch forms: one skeleton, filled in by the theory of each.

#include <algorithm>
#include <cmath>

#include "method/record.hpp"

namespace polyak {
namespace {

using theory::StepAndMomentum;

StepAndMomentum descent_choice(const PlanInputs& in) {
  if (!(in.lambda_max > 0.0)) return {0.0, 0.0};
  return {theory::gradient_descent_step(in.lambda_min, in.lambda_max), 0.0};
}
StepAndMomentum heavy_ball_choice(const PlanInputs& in) {
  if (!(in.lambda_max > 0.0)) return {0.0, 0.0};
  return theory::heavy_ball(in.lambda_min, in.lambda_max, in.options.gamma);
}
StepAndMomentum nesterov_choice(const PlanInputs& in) {
  return theory::nesterov(in.lambda_min, in.lambda_max, in.options.gamma);
}

double descent_rate(const PlanInputs& in, const ChosenParameters& p) {
  return std::max(std::abs(1.0 - p.step_size * in.lambda_min),
                  std::abs(1.0 - p.step_size * in.lambda_max));
}
double heavy_ball_rate(const PlanInputs& in, const ChosenParameters& p) {
  return theory::heavy_ball_rate(p.step_size, p.momentum, in.lambda_min, in.lambda_max);
}
double nesterov_rate(const PlanInputs& in, const ChosenParameters& p) {
  return theory::nesterov_rate(p.step_size, p.momentum, in.lambda_min, in.lambda_max);
}

theory::Parameters heavy_ball_tuned(const SampledModel& model, Index batch) {
  return theory::safe_recipe(model.lambda_min, model.lambda_max, model.energy,
                             static_cast<double>(batch))
      .parameters;
}
theory::Parameters nesterov_tuned(const SampledModel& model, Index batch) {
  return theory::tune(model.worst_case, theory::Method::nesterov, static_cast<double>(batch))
      .parameters;
}

// 1/(lambda_max(1 − 1/B) + eta·‖A‖_F²/B); the batch itself is the one that suits heavy ball.
void minibatch_sgd_step(const PlanInputs& in, ChosenParameters& p) {
  if (in.step_is_given()) return;
  p.step_size = theory::minibatch_sgd_step(in.lambda_max, in.facts.frobenius2, in.eta,
                                           static_cast<double>(p.batch));
}

// Projected gradients, which keep x within any bounds.
Proposal propose_nesterov(const CandidateInputs& in) {
  if (!in.shape.bounds) return {};
  return propose({.method = nesterov_record().info.name,
                  .why = "projected gradients, when all else fails",
                  .seconds = candidate::unknown_iterations * in.costs.pass()});
}

// A recurrence with a step and perhaps a momentum, run with full gradients or with sampled
// ones; with_momentum adds what only the latter has.
MethodRecord gradient_record(const char* name, const char* summary,
                             std::unique_ptr<Method> (*make)(const Setting&), Planning plan,
                             bool sampled) {
  using namespace trait;
  const unsigned traits = step_size | spectrum | bounds | ridge | (sampled ? batch | sampling : 0);
  return {.info = {name, summary, traits, sampled}, .make = make, .plan = plan};
}

MethodRecord with_momentum(MethodRecord record, Prediction prediction) {
  record.info.traits |= trait::momentum | trait::gamma;
  record.prediction = prediction;
  return record;
}

constexpr Planning heavy_ball_plan{.step_and_momentum = heavy_ball_choice, .rate = heavy_ball_rate};
constexpr Planning nesterov_plan{.step_and_momentum = nesterov_choice,
                                 .rate = nesterov_rate,
                                 .recurrence = theory::Method::nesterov};

Planning tuned(Planning plan, theory::Parameters (*tune)(const SampledModel&, Index)) {
  plan.tuned = tune;
  return plan;
}

}  // namespace

const MethodRecord& gradient_descent_record() {
  static const MethodRecord record =
      gradient_record("gd", "gradient descent", make_gradient_descent,
                      {.step_and_momentum = descent_choice, .rate = descent_rate}, false);
  return record;
}

const MethodRecord& heavy_ball_record() {
  static const MethodRecord record =
      with_momentum(gradient_record("hbm", "heavy ball momentum, full gradients", make_heavy_ball,
                                    heavy_ball_plan, false),
                    Prediction::momentum);
  return record;
}

const MethodRecord& nesterov_record() {
  static const MethodRecord record = [] {
    MethodRecord out = with_momentum(gradient_record("nag", "Nesterov's accelerated gradient",
                                                     make_nesterov, nesterov_plan, false),
                                     Prediction::momentum);
    out.turn = Turn::last;
    out.propose = propose_nesterov;
    return out;
  }();
  return record;
}

const MethodRecord& minibatch_sgd_record() {
  static const MethodRecord record = gradient_record(
      "minibatch-sgd", "stochastic gradient descent by batches", make_gradient_descent,
      {.step_and_momentum = heavy_ball_choice,
       .complete = minibatch_sgd_step,
       .rate = descent_rate},
      true);
  return record;
}

const MethodRecord& minibatch_heavy_ball_record() {
  static const MethodRecord record = with_momentum(
      gradient_record("minibatch-hbm", "minibatch heavy ball momentum, the paper's method",
                      make_heavy_ball, tuned(heavy_ball_plan, heavy_ball_tuned), true),
      Prediction::minibatch);
  return record;
}

const MethodRecord& minibatch_nesterov_record() {
  static const MethodRecord record =
      with_momentum(gradient_record("minibatch-nag", "Nesterov's method with sampled gradients",
                                    make_nesterov, tuned(nesterov_plan, nesterov_tuned), true),
                    Prediction::none);
  return record;
}

}  // namespace polyak
