#include "solve/plan/plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "sampling/law.hpp"
#include "solve/plan/basis.hpp"

namespace polyak {
namespace {

const MethodRecord& checked_record(const SolveOptions& options, const std::string& method) {
  check_options(options, method);
  return *find_record(method);
}

// Makes one plan: each step computes what the next one needs. The order is the same
// for all methods; their records hold the formulas.
class Planner {
 public:
  Planner(const Problem& problem, const MatrixFacts& facts, const SolveOptions& options,
          ThreadTeam& team)
      : problem_(problem),
        facts_(facts),
        options_(options),
        in_{.problem = problem, .facts = facts, .options = options, .team = team},
        record_(checked_record(options, choose_method(problem, options.method))),
        traits_(record_.info.traits) {
    plan_.method = record_.info.name;
  }

  Plan make() {
    check_method();
    plan_.used.tol = options_.tol;
    plan_.used.frobenius2 = unscaled(facts_.frobenius2);
    if (record_.info.sampled) choose_sampling();
    if (needs_spectrum()) find_spectrum();
    if (tunes_for_batch()) {
      tune_for_batch();
    } else {
      choose_step_and_momentum();
      choose_batch();
    }
    if (record_.plan.complete) record_.plan.complete(in_, chosen_);
    use_choice();
    predict_rate();
    return std::move(plan_);
  }

 private:
  // Between the user's units and the scaled problem's, for multiples of AᵀA. One factor at a
  // time: scale.a² may overflow.
  double scaled(double v) const { return v * facts_.scale.a * facts_.scale.a; }
  double unscaled(double v) const { return v / facts_.scale.a / facts_.scale.a; }

  void check_method() const {
    if (problem_.has_bounds() && !(traits_ & trait::bounds))
      refuse("bounds", "try active-set or bounded-cg");
    if (problem_.ridge() > 0.0 && !(traits_ & trait::ridge))
      refuse("a ridge term", "try nag, hbm or minibatch-hbm");
  }

  [[noreturn]] void refuse(const std::string& thing, const std::string& hint) const {
    throw Error(ErrorCode::usage, {.what = "the method " + plan_.method + " cannot handle " + thing,
                                   .where = option_name("method"),
                                   .hint = hint});
  }

  void choose_sampling() {
    timed(plan_.table_seconds, [&] { plan_.sampler = plan_sampler(problem_, facts_, options_); });
    in_.eta = law_eta(problem_, facts_, *plan_.sampler);
    plan_.used.sampling = options_.sampling;
    plan_.used.eta = in_.eta;
    if (law_named(options_.sampling) == Sampling::row_norm) plan_.used.eta_effective = 1.0;
  }

  // Minibatches with momentum whose step and momentum are not given.
  bool tunes_for_batch() const {
    return record_.plan.tuned && options_.parameters == "tuned" && !in_.step_is_given() &&
           !in_.momentum_is_given() && in_.lambda_min > 0.0;
  }

  // Where all parameters are given, A need not be read.
  bool needs_spectrum() const {
    if (!(traits_ & trait::spectrum)) return false;
    if (!in_.step_is_given()) return true;
    if ((traits_ & trait::momentum) && !in_.momentum_is_given()) return true;
    return (traits_ & trait::batch) && !options_.batch_size;
  }

  void find_spectrum() {
    spectrum_ = plan_spectrum(problem_, facts_, options_, in_.team);
    plan_.spectrum_seconds += spectrum_.seconds;
    plan_.rows_read += spectrum_.found.rows_read;
    report_spectrum(spectrum_, options_, facts_.scale, traits_ & trait::lambda_max, plan_.used);
    in_.lambda_min = spectrum_.lambda_min;
    in_.lambda_max = spectrum_.lambda_max;
    if (!plan_.sampler || plan_.used.eta_effective) return;
    if (facts_.blocks) return;  // it takes a number per row and one more pass, for the report only
    plan_.used.eta_effective =
        planned_eta(problem_, facts_, spectrum_.found, *plan_.sampler, options_.seed, in_.team);
    plan_.rows_read += static_cast<double>(problem_.rows());
  }

  void choose_step_and_momentum() {
    if (!record_.plan.step_and_momentum) return;
    const theory::StepAndMomentum best = record_.plan.step_and_momentum(in_);
    chosen_.step_size = options_.step_size ? unscaled(*options_.step_size) : best.step_size;
    chosen_.momentum = options_.momentum.value_or(best.momentum);
    plan_.used.parameters = in_.step_is_given() ? "given" : "the paper's";
  }

  void tune_for_batch() {
    make_forecast();
    chosen_.batch =
        options_.batch_size ? *options_.batch_size : forecast_->best_batch(problem_.rows());
    const theory::Parameters p = record_.plan.tuned(forecast_->sampled_model(), chosen_.batch);
    chosen_.step_size = p.alpha;
    chosen_.momentum = p.beta();
    plan_.used.parameters = "tuned for the batch";
  }

  void make_forecast() {
    forecast_.emplace(problem_, facts_, spectrum_.found, *plan_.sampler,
                      in_.eta * facts_.frobenius2, ridge_range(problem_, facts_.scale), in_.team,
                      options_.seed);
    plan_.rows_read += forecast_->rows_read();
  }

  void choose_batch() {
    const Index n = problem_.rows();
    if (!(traits_ & trait::batch)) {
      chosen_.batch = record_.info.sampled ? 1 : n;
    } else if (options_.batch_size) {
      chosen_.batch = *options_.batch_size;
    } else {
      const double heuristic =
          theory::heuristic_batch(facts_.frobenius2, in_.lambda_max, problem_.cols(), in_.eta,
                                  chosen_.step_size, chosen_.momentum);
      chosen_.batch =
          std::clamp<Index>(static_cast<Index>(std::min(heuristic, static_cast<double>(n))), 1, n);
    }
  }

  // The parameters of the method, and those of the report.
  void use_choice() {
    Parameters& p = plan_.parameters;
    p.batch = chosen_.batch;
    p.project_on_rows = chosen_.project_on_rows;
    p.mu = chosen_.mu.value_or(0.0);
    p.nu = chosen_.nu.value_or(0.0);
    p.sketch_rows = chosen_.sketch_rows.value_or(0);
    p.seed = options_.seed;
    p.stream = options_.stream;
    p.only_resolved = options_.only_resolved;
    use_sequences(p);
    plan_.rows_per_iteration = record_.reads_per_iteration * static_cast<double>(chosen_.batch);
    plan_.rows_read += chosen_.rows_read;
    if (record_.info.sampled) plan_.used.batch = chosen_.batch;
    plan_.used.ark_mu = chosen_.mu;
    plan_.used.ark_nu = chosen_.nu;
    plan_.used.sketch_rows = chosen_.sketch_rows;
    if (chosen_.step_size > 0.0 && !options_.step_sequence)
      plan_.used.step_size = chosen_.sketch_rows ? chosen_.step_size : scaled(chosen_.step_size);
    if (chosen_.sketch_rows || ((traits_ & trait::momentum) && !options_.momentum_sequence))
      plan_.used.momentum = chosen_.momentum;
  }

  void use_sequences(Parameters& p) const {
    p.step_size = [alpha = chosen_.step_size](Index) { return alpha; };
    p.momentum = [beta = chosen_.momentum](Index) { return beta; };
    if (options_.step_sequence) {
      p.step_size = [sequence = options_.step_sequence, a = facts_.scale.a](Index k) {
        return sequence(k) / a / a;
      };
    }
    if (options_.momentum_sequence) p.momentum = options_.momentum_sequence;
  }

  // Methods with exact gradients have a proved rate; sampled ones are modelled.
  void predict_rate() {
    if (chosen_.rate) return take_rate_of_method();
    const bool constant = !options_.step_sequence && !options_.momentum_sequence;
    const bool known = constant && in_.lambda_min > 0.0 && record_.plan.rate;
    const double rate = known ? record_.plan.rate(in_, chosen_) : 0.0;
    if (known && (!record_.info.sampled || record_.plan.proved_when_sampled)) {
      plan_.used.predicted_rate = rate;
      plan_.used.predicted_rate_kind =
          spectrum_.estimated ? "estimate: from the estimated spectrum" : "proved";
    } else if (known && (traits_ & trait::batch)) {
      predict_sampled_rate();
    }
    plan_.pace = known && rate < 1.0 ? 1.0 / (1.0 - rate) : unknown_pace();
  }

  void take_rate_of_method() {
    plan_.used.predicted_rate = chosen_.rate;
    plan_.used.predicted_rate_kind = chosen_.rate_kind;
    plan_.pace = 1.0 / (1.0 - *chosen_.rate);
  }

  // A pass over the longer side of A, or the time constant of the momentum.
  double unknown_pace() const {
    const Index longer = std::max(problem_.rows(), problem_.cols());
    return std::max(
        static_cast<double>(longer) / static_cast<double>(std::max<Index>(1, chosen_.batch)),
        1.0 / (1.0 - std::sqrt(std::min(chosen_.momentum, 1.0 - 1e-12))));
  }

  void predict_sampled_rate() {
    if (!forecast_) make_forecast();
    const theory::Method recurrence = record_.plan.recurrence;
    const theory::Parameters p = theory::Parameters::of(
        chosen_.step_size, traits_ & trait::momentum ? chosen_.momentum : 0.0);
    const double rate = forecast_->rate(recurrence, p, chosen_.batch);
    if (!std::isfinite(rate)) return;
    plan_.used.predicted_rate = rate;
    plan_.used.predicted_rate_kind = forecast_->kind();
    if (rate >= 1.0 || options_.tol <= 0.0) return;
    // From ‖b‖ down to tol(‖A‖‖x‖ + ‖b‖), for a solution without a preferred direction.
    const double target = options_.tol * (1.0 + std::sqrt(static_cast<double>(problem_.cols())));
    plan_.expected_iterations = forecast_->iterations(
        recurrence, p, static_cast<double>(chosen_.batch), {}, std::min(1.0, target));
  }

  const Problem& problem_;
  const MatrixFacts& facts_;
  const SolveOptions& options_;
  PlanInputs in_;
  const MethodRecord& record_;
  unsigned traits_;
  Plan plan_;
  ChosenParameters chosen_;
  PlannedSpectrum spectrum_;
  std::optional<Forecast> forecast_;
};

}  // namespace

std::string choose_method(const Problem& problem, const std::string& asked) {
  if (asked != "auto") return asked;
  const Index shorter = std::min(problem.rows(), problem.cols());
  const MethodRecord& record =
      problem.has_bounds()
          ? (shorter <= most_exact_columns ? active_set_record() : bounded_cg_record())
          : (problem.cols() <= most_exact_columns ? direct_record() : lsqr_record());
  return record.info.name;
}

Plan make_plan(const Problem& problem, const MatrixFacts& facts, const SolveOptions& options,
               ThreadTeam& team) {
  return Planner(problem, facts, options, team).make();
}

}  // namespace polyak
