#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "theory/theory.hpp"

namespace polyak::cli {
namespace {

using Json = nlohmann::ordered_json;
using Notes = std::vector<std::string>;

// NaN if absent: every comparison with it is false.
double value(const Json& object, const char* name) {
  if (!object.contains(name)) return std::nan("");
  return object[name].is_string() ? INFINITY : object[name].get<double>();
}

void add_vacuous(const char* method, const Json& object, Index rows, Notes& notes) {
  if (value(object, "batch_theorem") > static_cast<double>(rows))
    notes.push_back(fmt::format(
        "The theorem's batch for {} is larger than the {} rows of A: the bound is vacuous here.",
        method, rows));
}

void add_theorem(const Json& answer, Notes& notes) {
  if (answer["M"].is_string())
    notes.push_back(
        "M is infinite with gamma = 0, for minibatch-nag too: the theorem then needs an "
        "infinite batch.");
  if (!answer.contains("k_star"))
    notes.push_back(
        "There is no k* below kappa = e^2; theta = 1/sqrt(kappa) takes the place of "
        "log(k*)/k*.");
  if (value(answer, "rate_theorem") >= 1.0)
    notes.push_back("The theorem's rate is not below 1: it proves no convergence.");
  if (!answer.contains("batch_heuristic"))
    notes.push_back("The paper's heuristic batch is not defined below kappa = 2.");
}

void add_unknown(const TheoryFacts& facts, Notes& notes) {
  if (!facts.eta_known)
    notes.push_back("Uniform sampling without eta: nothing is certified, and B* has eta = 1.");
  if (!facts.eta_known && facts.energy)
    notes.push_back("The recipe holds for Gaussian rows only; with --eta it holds for any rows.");
  if (facts.rank && *facts.rank < facts.numbers.cols)
    notes.push_back(fmt::format(
        "A has rank {}: lambda_min is its smallest eigenvalue that is not zero, and x* the "
        "solution nearest to the start.",
        *facts.rank));
  if (!facts.exact)
    notes.push_back(
        "lambda_min and lambda_max are estimates: only the stability number is "
        "certified, with probability 0.999.");
  if (!facts.model)
    notes.push_back("Results that need a model of the noise, and so all eigenvalues, are omitted.");
  else if (!facts.tuning)
    notes.push_back("Tuning is omitted: it would take minutes with so many columns.");
}

void add_horizon(const TheoryRequest& request, const Json& horizon, Notes& notes) {
  if (request.matrix && horizon.contains("predicted"))
    notes.push_back("The predicted horizon assumes a residual of equal size in all rows.");
  const bool shown = horizon.contains("paper") && horizon["paper"] != "not applicable";
  if (shown && !request.residual_sigma)
    notes.push_back("The paper's horizon lacks its smaller term, which needs --residual-sigma.");
}

// Sentences that explain the answer and its limits.
Notes theory_notes(const TheoryRequest& request, const TheoryFacts& facts, const Json& answer) {
  Notes notes;
  if (facts.rows) add_vacuous("minibatch-hbm", answer, *facts.rows, notes);
  if (facts.rows) add_vacuous("minibatch-nag", answer["nag"], *facts.rows, notes);
  add_theorem(answer, notes);
  add_unknown(facts, notes);
  if (answer.contains("horizon")) add_horizon(request, answer["horizon"], notes);
  return notes;
}

using theory::Method;
using theory::Parameters;

constexpr Method heavy_ball = Method::heavy_ball;

Json number(double value) { return std::isinf(value) ? Json("inf") : Json(value); }

void put_number(Json& object, const char* name, std::optional<double> value) {
  if (value && !std::isnan(*value)) object[name] = number(*value);
}

class Answer {
 public:
  Answer(const TheoryRequest& request, const TheoryFacts& facts)
      : request_(request),
        facts_(facts),
        numbers_(facts.numbers),
        theory_(theory::heavy_ball_theory(numbers_, request.gamma, request.k_star)) {}

  Json object() {
    put_input();
    put_spectrum();
    put_parameters();
    put_batches();
    put_nesterov();
    if (request_.batch) put_batch(*request_.batch);
    if (request_.residual_norm) put_horizon(*request_.batch, *request_.residual_norm);
    const auto notes = theory_notes(request_, facts_, out_);
    if (!notes.empty()) out_["notes"] = notes;
    return std::move(out_);
  }

 private:
  // Certificates need eta and guaranteed bounds of the spectrum.
  bool certified() const { return facts_.eta_known && facts_.exact; }

  void put_input() {
    out_["input"] = facts_.input;
    out_["sampling"] = request_.sampling;
    if (!facts_.model_name.empty()) out_["model"] = facts_.model_name;
    if (facts_.rows) out_["rows"] = *facts_.rows;
    out_["cols"] = numbers_.cols;
    if (facts_.rank) out_["rank"] = *facts_.rank;
    if (facts_.zero_rows) out_["zero_rows"] = *facts_.zero_rows;
    if (!facts_.exact) out_["spectrum_source"] = "lanczos estimate";
  }

  void put_spectrum() {
    put_number(out_, "lambda_min", numbers_.lambda_min);
    put_number(out_, "lambda_max", numbers_.lambda_max);
    put_number(out_, "kappa", numbers_.kappa());
    put_number(out_, "kappa_bar", numbers_.kappa_bar());
    put_number(out_, "frobenius2", numbers_.frobenius2);
    if (facts_.eta_known) put_number(out_, "eta", numbers_.eta);
    put_number(out_, "eta_effective", facts_.eta_effective);
  }

  void put_parameters() {
    put_number(out_, "gamma", request_.gamma);
    put_number(out_, "alpha_star", theory_.optimal.alpha);
    put_number(out_, "beta_star", theory_.optimal.beta());
    put_number(out_, "alpha", theory_.parameters.alpha);
    put_number(out_, "beta", theory_.parameters.beta());
    put_number(out_, "M", theory_.M);
    put_number(out_, "M_bound", theory_.M_bound);
    put_number(out_, "k_star", theory_.k_star);
    put_number(out_, "theta", theory_.theta);
    put_number(out_, "delta", theory_.delta);
    put_number(out_, "rate_theorem", theory_.rate_theorem);
  }

  void put_batches() {
    put_number(out_, "batch_heuristic", theory_.batch_heuristic);
    if (facts_.eta_known) put_number(out_, "batch_theorem", theory_.batch_theorem);
    if (facts_.eta_known) put_number(out_, "batch_theorem_bound", theory_.batch_theorem_bound);
    if (certified()) put_number(out_, "batch_vector", theory_.batch_vector);
    if (certified())
      put_number(out_, "batch_certified_stability", theory_.batch_certified_stability);
    if (facts_.model)
      put_number(out_, "batch_stability",
                 theory::stability_threshold(*facts_.model, heavy_ball, theory_.parameters));
  }

  void put_nesterov() {
    const auto nag = theory::nesterov_theory(numbers_, request_.gamma, request_.k_star);
    Json& object = out_["nag"];
    put_number(object, "alpha", nag.parameters.alpha);
    put_number(object, "beta", nag.parameters.beta());
    put_number(object, "M", nag.M);
    put_number(object, "M_bound", nag.M_bound);
    put_number(object, "rate", nag.rate);
    put_number(object, "rate_theorem", nag.rate_theorem);
    if (facts_.eta_known) put_number(object, "batch_theorem", nag.batch_theorem);
    if (facts_.model)
      put_number(object, "batch_stability",
                 theory::stability_threshold(*facts_.model, Method::nesterov, nag.parameters));
  }

  void put_rates(Json& object, const Parameters& p, double batch) {
    if (facts_.model)
      put_number(object, "predicted_rate",
                 theory::rate_for_batch(*facts_.model, heavy_ball, p, batch));
    if (certified())
      put_number(object, "certified_rate",
                 theory::rate_for_batch(certificate(facts_), heavy_ball, p, batch));
    if (facts_.eta_known)
      put_number(object, "stability_number",
                 theory::stability_number(p, numbers_.lambda_max, numbers_.energy(), batch));
  }

  void put_choice(const char* name, const Parameters& p, double batch) {
    Json& object = out_[name];
    put_number(object, "alpha", p.alpha);
    put_number(object, "beta", p.beta());
    put_rates(object, p, batch);
  }

  void put_batch(double batch) {
    put_number(out_, "batch", batch);
    put_rates(out_, theory_.parameters, batch);
    if (facts_.tuning)
      put_choice("tuned", theory::tune(*facts_.tuning, heavy_ball, batch).parameters, batch);
    if (!facts_.energy) return;
    const auto recipe =
        theory::safe_recipe(numbers_.lambda_min, numbers_.lambda_max, *facts_.energy, batch);
    put_choice("recipe", recipe.parameters, batch);
  }

  void put_horizon(double batch, double residual_norm) {
    const Parameters& p = theory_.parameters;
    Json object;
    if (facts_.eta_known) {
      const auto paper = theory::paper_horizon(numbers_, theory_, batch, residual_norm,
                                               request_.residual_sigma.value_or(0.0));
      object["paper"] = paper.applicable ? number(paper.printed) : Json("not applicable");
    }
    if (certified())
      put_number(object, "certified",
                 theory::certified_horizon(certificate(facts_), heavy_ball, p, batch,
                                           numbers_.energy() * residual_norm * residual_norm));
    if (facts_.model)
      put_number(object, "predicted",
                 theory::horizon(*facts_.model, heavy_ball, p, batch, residual_norm));
    if (!object.empty()) out_["horizon"] = object;
  }

  const TheoryRequest& request_;
  const TheoryFacts& facts_;
  const theory::MatrixNumbers& numbers_;
  const theory::HeavyBallTheory theory_;
  Json out_;
};

}  // namespace

Json theory_answer(const TheoryRequest& request, const TheoryFacts& facts) {
  return Answer(request, facts).object();
}

}  // namespace polyak::cli
