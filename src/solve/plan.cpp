#include "solve/plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "matrix/whole.hpp"
#include "polyak/error.hpp"
#include "sampling/law.hpp"
#include "solve/costs.hpp"
#include "solve/forecast.hpp"
#include "solve/plan_sampling.hpp"
#include "solve/plan_spectrum.hpp"
#include "theory/parameters.hpp"

namespace polyak {
namespace {

// One plan in the making: each step fills in what the next one needs.
class Planner {
 public:
  Planner(const Problem& problem, const MatrixFacts& facts, const SolveOptions& options,
          ThreadTeam& team)
      : problem_(problem),
        facts_(facts),
        options_(options),
        team_(team),
        ridge_(ridge_range(problem, facts.scale)) {
    plan_.method = choose_method(problem, options.method);
    check_options(options, plan_.method);
    info_ = find_method(plan_.method);
  }

  Plan make() {
    check_method();
    plan_.used.tol = options_.tol;
    plan_.used.frobenius2 = unscaled(facts_.frobenius2);
    if (info_->sampled) choose_sampling();
    if (needs_spectrum()) find_spectrum();
    if (tuned()) {
      tune_for_batch();
    } else {
      if (info_->traits & trait::step_size) choose_step_and_momentum();
      choose_batch();
    }
    if (plan_.method == "minibatch-sgd") minibatch_sgd_step();
    if (plan_.method == "ark") choose_ark();
    if (plan_.method == "rk") choose_kaczmarz();
    if (plan_.method == "sketch-hbm") choose_sketch();
    use_sequences();
    predict_rate();
    plan_.parameters.seed = options_.seed;
    plan_.parameters.stream = options_.stream;
    plan_.parameters.only_resolved = options_.only_resolved;
    return std::move(plan_);
  }

 private:
  // Between the user's units and the scaled problem's, for whatever goes with
  // A'A. One factor at a time: scale.a² itself may not be a double.
  double scaled(double v) const { return v * facts_.scale.a * facts_.scale.a; }
  double unscaled(double v) const { return v / facts_.scale.a / facts_.scale.a; }

  void check_method() const {
    if (problem_.has_bounds() && !(info_->traits & trait::bounds))
      refuse("bounds", "try active-set or bounded-cg");
    if (problem_.ridge() > 0.0 && !(info_->traits & trait::ridge))
      refuse("a ridge term", "try nag, hbm or minibatch-hbm");
  }

  [[noreturn]] void refuse(const std::string& thing, const std::string& hint) const {
    throw Error(ErrorCode::usage, {.what = "the method " + plan_.method + " cannot handle " + thing,
                                   .where = "--method",
                                   .hint = hint});
  }

  void choose_sampling() {
    timed(plan_.table_seconds, [&] { plan_.sampler = plan_sampler(problem_, facts_, options_); });
    const double eta = sampling_eta(*plan_.sampler, facts_.norms2, facts_.frobenius2);
    eta_ = largest_of_ranks(problem_.A(), eta);
    plan_.used.sampling = options_.sampling;
    plan_.used.eta = eta_;
    if (law_named(options_.sampling) == Sampling::row_norm) plan_.used.eta_effective = 1.0;
  }

  bool has_step() const { return options_.step_size || options_.step_sequence; }
  bool has_momentum() const { return options_.momentum || options_.momentum_sequence; }

  // Minibatch momentum whose step and momentum are ours to choose.
  bool tuned() const {
    return (info_->traits & trait::batch) && (info_->traits & trait::momentum) &&
           options_.parameters == "tuned" && !has_step() && !has_momentum() && lmin_ > 0.0;
  }

  // Parameters that are all given need no reading of A.
  bool needs_spectrum() const {
    const unsigned traits = info_->traits;
    if (!(traits & trait::spectrum)) return false;
    if (plan_.method == "ark" || !has_step()) return true;
    if ((traits & trait::momentum) && !has_momentum()) return true;
    return (traits & trait::batch) && !options_.batch_size;
  }

  void find_spectrum() {
    spectrum_ = plan_spectrum(problem_, facts_, options_, team_);
    plan_.spectrum_seconds += spectrum_.seconds;
    plan_.rows_read += spectrum_.found.rows_read;
    tell_spectrum(spectrum_, options_, facts_.scale, info_->traits & trait::lambda_max, plan_.used);
    lmin_ = spectrum_.lambda_min;
    lmax_ = spectrum_.lambda_max;
    if (!plan_.sampler || plan_.used.eta_effective) return;
    plan_.used.eta_effective =
        planned_eta(problem_, facts_, spectrum_.found, *plan_.sampler, options_.seed, team_);
    plan_.rows_read += static_cast<double>(problem_.rows());
  }

  void choose_step_and_momentum() {
    theory::StepAndMomentum chosen{0.0, 0.0};
    if (plan_.method == "sgd") {
      chosen.step_size = 1.0 / (eta_ * facts_.frobenius2);
    } else if (plan_.method == "gd" && lmax_ > 0.0) {
      chosen.step_size = theory::gradient_descent_step(lmin_, lmax_);
    } else if (plan_.method == "nag" || plan_.method == "minibatch-nag") {
      chosen = theory::nesterov(lmin_, lmax_, options_.gamma);
    } else if (lmax_ > 0.0) {
      chosen = theory::heavy_ball(lmin_, lmax_, options_.gamma);
    }
    alpha_ = options_.step_size ? unscaled(*options_.step_size) : chosen.step_size;
    beta_ = options_.momentum.value_or(chosen.momentum);
  }

  void tune_for_batch() {
    make_forecast();
    const Index n = problem_.rows();
    set_batch(options_.batch_size ? *options_.batch_size : forecast_->best_batch(n));
    const Index batch = plan_.parameters.batch;
    const bool nesterov = plan_.method == "minibatch-nag";
    const theory::Parameters p =
        nesterov ? theory::tune(forecast_->worst_case(), theory::Method::nesterov,
                                static_cast<double>(batch))
                       .parameters
                 : forecast_->tuned(batch);
    alpha_ = p.alpha;
    beta_ = p.beta();
    plan_.used.parameters = "tuned for the batch";
  }

  void make_forecast() {
    forecast_.emplace(problem_, facts_, spectrum_.found, *plan_.sampler, eta_ * facts_.frobenius2,
                      ridge_, team_, options_.seed);
    plan_.rows_read += forecast_->rows_read();
  }

  void set_batch(Index batch) {
    plan_.parameters.batch = batch;
    if (info_->sampled) plan_.used.batch = batch;
    const bool krylov = plan_.method == "cgls" || plan_.method == "lsqr";
    plan_.rows_per_iteration = static_cast<double>(krylov ? 2 * problem_.rows() : batch);
  }

  void choose_batch() {
    Index batch = 0;
    const Index n = problem_.rows();
    if (!(info_->traits & trait::batch)) {
      batch = info_->sampled ? 1 : n;
    } else if (options_.batch_size) {
      batch = *options_.batch_size;
    } else {
      const double heuristic = theory::heuristic_batch(facts_.frobenius2, lmax_, problem_.cols(),
                                                       eta_, alpha_, beta_);
      batch = std::clamp<Index>(
          static_cast<Index>(std::min(heuristic, static_cast<double>(n))), 1, n);
    }
    set_batch(batch);
    if (info_->traits & trait::step_size) plan_.used.parameters = has_step() ? "given" : "the paper's";
  }

  void minibatch_sgd_step() {
    if (has_step()) return;
    alpha_ = theory::minibatch_sgd_step(lmax_, facts_.frobenius2, eta_,
                                        static_cast<double>(plan_.parameters.batch));
  }

  // Errata E11: mu = lambda_min/‖A‖_F², nu from the rows' leverage.
  void choose_ark() {
    plan_.parameters.mu = lmin_ / facts_.frobenius2;
    plan_.parameters.nu = std::max(coherence_nu(problem_, facts_, team_), plan_.parameters.mu);
    plan_.rows_read += 2.0 * static_cast<double>(problem_.rows());
    plan_.used.ark_mu = plan_.parameters.mu;
    plan_.used.ark_nu = plan_.parameters.nu;
  }

  void choose_kaczmarz() {
    alpha_ = 1.0 / facts_.frobenius2;
    plan_.parameters.land_on_rows = true;
  }

  // The Marchenko–Pastur band (method/sketched_heavy_ball.cpp) gives them all.
  void choose_sketch() {
    const double digits = std::log(1.0 / std::max(options_.tol, 1e-16));
    const Index rows = Costs(problem_).sketch_rows(digits);
    const double r = static_cast<double>(problem_.cols()) / static_cast<double>(rows);
    plan_.parameters.sketch_rows = rows;
    plan_.used.sketch_rows = rows;
    alpha_ = (1.0 - r) * (1.0 - r);
    beta_ = r;
    plan_.used.momentum = beta_;
    plan_.used.predicted_rate = std::sqrt(r);
    plan_.used.predicted_rate_kind = "model: Marchenko-Pastur band of the sketch";
    plan_.pace = 1.0 / (1.0 - std::sqrt(r));
  }

  void use_sequences() {
    if (alpha_ > 0.0 && !options_.step_sequence)
      plan_.used.step_size = plan_.used.sketch_rows ? alpha_ : scaled(alpha_);
    if ((info_->traits & trait::momentum) && !options_.momentum_sequence)
      plan_.used.momentum = beta_;
    const double alpha = alpha_, beta = beta_, a = facts_.scale.a;
    plan_.parameters.step_size = [alpha](Index) { return alpha; };
    plan_.parameters.momentum = [beta](Index) { return beta; };
    if (options_.step_sequence) {
      plan_.parameters.step_size = [sequence = options_.step_sequence, a](Index k) {
        return sequence(k) / a / a;
      };
    }
    if (options_.momentum_sequence) plan_.parameters.momentum = options_.momentum_sequence;
  }

  // The rate with exact gradients: what a sampled method can at best have.
  double noiseless_rate() const {
    if (plan_.method == "ark")
      return std::sqrt(1.0 - std::sqrt(plan_.parameters.mu / plan_.parameters.nu));
    if (plan_.method == "hbm" || plan_.method == "minibatch-hbm")
      return theory::heavy_ball_rate(alpha_, beta_, lmin_, lmax_);
    if (plan_.method == "nag" || plan_.method == "minibatch-nag")
      return theory::nesterov_rate(alpha_, beta_, lmin_, lmax_);
    return std::max(std::abs(1.0 - alpha_ * lmin_), std::abs(1.0 - alpha_ * lmax_));
  }

  // Deterministic methods and ARK are proved; sampled ones are modelled.
  void predict_rate() {
    if (plan_.used.sketch_rows) return;
    const bool constant = !options_.step_sequence && !options_.momentum_sequence;
    const bool known = constant && lmin_ > 0.0;
    const double rate = known ? noiseless_rate() : 0.0;
    if (known && (!info_->sampled || plan_.method == "ark")) {
      plan_.used.predicted_rate = rate;
      plan_.used.predicted_rate_kind =
          spectrum_.estimated ? "estimate: from the estimated spectrum" : "proved";
    } else if (known && (info_->traits & trait::batch)) {
      predict_sampled_rate();
    }
    const Index n = problem_.rows(), d = problem_.cols();
    const double unknown = std::max(static_cast<double>(std::max(n, d)) /
                                        static_cast<double>(std::max<Index>(1, plan_.parameters.batch)),
                                    1.0 / (1.0 - std::sqrt(std::min(beta_, 1.0 - 1e-12))));
    plan_.pace = known && rate < 1.0 ? 1.0 / (1.0 - rate) : unknown;
  }

  void predict_sampled_rate() {
    if (!forecast_) make_forecast();
    const theory::Method method = plan_.method == "minibatch-nag" ? theory::Method::nesterov
                                                                  : theory::Method::heavy_ball;
    const theory::Parameters p =
        theory::Parameters::of(alpha_, plan_.method == "minibatch-sgd" ? 0.0 : beta_);
    const double rate = forecast_->rate(method, p, plan_.parameters.batch);
    if (!std::isfinite(rate)) return;
    plan_.used.predicted_rate = rate;
    plan_.used.predicted_rate_kind = forecast_->kind();
    if (rate >= 1.0 || options_.tol <= 0.0) return;
    // From |b| down to tol(|A||x| + |b|), for a solution without a preferred direction.
    const double target = options_.tol * (1.0 + std::sqrt(static_cast<double>(problem_.cols())));
    plan_.expected_iterations = forecast_->iterations(
        method, p, static_cast<double>(plan_.parameters.batch), {}, std::min(1.0, target));
  }

  const Problem& problem_;
  const MatrixFacts& facts_;
  const SolveOptions& options_;
  ThreadTeam& team_;
  Range ridge_;  // of the unknowns, in scaled units
  const MethodInfo* info_ = nullptr;
  Plan plan_;
  PlannedSpectrum spectrum_;
  std::optional<Forecast> forecast_;
  double eta_ = 1.0, lmin_ = 0.0, lmax_ = 0.0, alpha_ = 0.0, beta_ = 0.0;
};

}  // namespace

std::string choose_method(const Problem& problem, const std::string& asked) {
  if (asked != "auto") return asked;
  if (problem.has_bounds())
    return std::min(problem.rows(), problem.cols()) <= most_exact_columns ? "active-set" : "bounded-cg";
  return problem.cols() <= most_exact_columns ? "direct" : "lsqr";
}

Plan make_plan(const Problem& problem, const MatrixFacts& facts, const SolveOptions& options,
               ThreadTeam& team) {
  return Planner(problem, facts, options, team).make();
}

}  // namespace polyak
