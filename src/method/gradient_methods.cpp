#include <algorithm>
#include <cmath>
#include <utility>

#include "method/record.hpp"

namespace polyak::internal {
namespace {

// The methods that take one gradient per iteration, full (gd, hbm, nag) or sampled
// (minibatch-sgd, minibatch-hbm, minibatch-nag), and differ only in the step.
class GradientMethod : public Method {
 public:
  void advance(Index first, Index last) final {
    for (Index k = first; k < last; ++k) step(k, unit_ * setting_.parameters.step_size(k));
    counters_.iteration = last;
  }

 protected:
  explicit GradientMethod(const Setting& setting)
      : Method(setting, Columns::used), source_(setting_, exchange_), g_(unknowns()) {}

  virtual void step(Index k, double alpha) = 0;

  /// g = g(x) of iteration k.
  const Block& gradient(Index k, const Block& x) {
    counters_.row_products += source_(k, x, g_);
    return g_;
  }

 private:
  GradientSource source_;
  Block g_;
};

// x_{k+1} = x_k − alpha_k g(x_k).
class GradientDescent final : public GradientMethod {
 public:
  explicit GradientDescent(const Setting& setting) : GradientMethod(setting) {}

 private:
  void step(Index k, double alpha) override {
    backend().gradient_step(alpha, gradient(k, x_), x_, columns());
    backend().clamp(x_);
  }
};

// The two methods with momentum remember x_{k−1}; x_1 = x_0.
class MomentumMethod : public GradientMethod {
 protected:
  explicit MomentumMethod(const Setting& setting)
      : GradientMethod(setting), previous_(saved_start()) {
    save_block(previous_);
  }

  double momentum(Index k) const { return setting_.parameters.momentum(k); }  // beta_k

  Block previous_;
};

// (HBM): x_{k+1} = x_k − alpha_k g(x_k) + beta_k (x_k − x_{k−1}).
// At beta = 0 it is gradient descent, bit for bit.
class HeavyBall final : public MomentumMethod {
 public:
  explicit HeavyBall(const Setting& setting) : MomentumMethod(setting) {}

 private:
  void step(Index k, double alpha) override {
    backend().heavy_ball_step(alpha, momentum(k), x_, gradient(k, x_), previous_, columns());
    backend().clamp(previous_);
    std::swap(x_, previous_);
  }
};

// (NAG): y_k = x_k + beta_k (x_k − x_{k−1}), x_{k+1} = y_k − alpha_k g(y_k).
class Nesterov final : public MomentumMethod {
 public:
  explicit Nesterov(const Setting& setting) : MomentumMethod(setting) {}

 private:
  void step(Index k, double alpha) override {
    const Block& y = previous_;  // holds x_{k−1}, then y_k, then x_{k+1}
    backend().extrapolate(momentum(k), x_, y, columns());
    backend().gradient_step(alpha, gradient(k, y), y, columns());
    backend().clamp(y);
    std::swap(x_, previous_);
  }
};

using theory::internal::StepAndMomentum;

StepAndMomentum descent_choice(const PlanInputs& in) {
  if (!(in.lambda_max > 0.0)) return {0.0, 0.0};
  return {theory::internal::gradient_descent_step(in.lambda_min, in.lambda_max), 0.0};
}
StepAndMomentum heavy_ball_choice(const PlanInputs& in) {
  if (!(in.lambda_max > 0.0)) return {0.0, 0.0};
  return theory::internal::heavy_ball(in.lambda_min, in.lambda_max, in.options.gamma);
}
StepAndMomentum nesterov_choice(const PlanInputs& in) {
  return theory::internal::nesterov(in.lambda_min, in.lambda_max, in.options.gamma);
}

double descent_rate(const PlanInputs& in, const ChosenParameters& p) {
  return std::max(std::abs(1.0 - p.step_size * in.lambda_min),
                  std::abs(1.0 - p.step_size * in.lambda_max));
}
double heavy_ball_rate(const PlanInputs& in, const ChosenParameters& p) {
  return theory::internal::heavy_ball_rate(p.step_size, p.momentum, in.lambda_min, in.lambda_max);
}
double nesterov_rate(const PlanInputs& in, const ChosenParameters& p) {
  return theory::internal::nesterov_rate(p.step_size, p.momentum, in.lambda_min, in.lambda_max);
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
  p.step_size = theory::internal::minibatch_sgd_step(in.lambda_max, in.facts.frobenius2, in.eta,
                                                     static_cast<double>(p.batch));
}

// Projected gradients keep x within any bounds.
Proposal propose_nesterov(const CandidateInputs& in) {
  if (!in.shape.bounds) return {};
  return propose({.method = nesterov_record().info.name,
                  .why = "projected gradients, when all else fails",
                  .seconds = candidate::unknown_iterations * in.costs.pass()});
}

// The record of a recurrence that takes full or sampled gradients; with_momentum adds the
// options of momentum.
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
      gradient_record("gd", "gradient descent", construct<GradientDescent>,
                      {.step_and_momentum = descent_choice, .rate = descent_rate}, false);
  return record;
}

const MethodRecord& heavy_ball_record() {
  static const MethodRecord record =
      with_momentum(gradient_record("hbm", "heavy ball momentum, full gradients",
                                    construct<HeavyBall>, heavy_ball_plan, false),
                    Prediction::momentum);
  return record;
}

const MethodRecord& nesterov_record() {
  static const MethodRecord record = [] {
    MethodRecord out = with_momentum(gradient_record("nag", "Nesterov's accelerated gradient",
                                                     construct<Nesterov>, nesterov_plan, false),
                                     Prediction::momentum);
    out.turn = Turn::last;
    out.propose = propose_nesterov;
    return out;
  }();
  return record;
}

const MethodRecord& minibatch_sgd_record() {
  static const MethodRecord record = gradient_record(
      "minibatch-sgd", "stochastic gradient descent by batches", construct<GradientDescent>,
      {.step_and_momentum = heavy_ball_choice,
       .complete = minibatch_sgd_step,
       .rate = descent_rate},
      true);
  return record;
}

const MethodRecord& minibatch_heavy_ball_record() {
  static const MethodRecord record = with_momentum(
      gradient_record("minibatch-hbm", "minibatch heavy ball momentum, the paper's method",
                      construct<HeavyBall>, tuned(heavy_ball_plan, heavy_ball_tuned), true),
      Prediction::minibatch);
  return record;
}

const MethodRecord& minibatch_nesterov_record() {
  static const MethodRecord record = with_momentum(
      gradient_record("minibatch-nag", "Nesterov's method with sampled gradients",
                      construct<Nesterov>, tuned(nesterov_plan, nesterov_tuned), true),
      Prediction::none);
  return record;
}

}  // namespace polyak::internal
