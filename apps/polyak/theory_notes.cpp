#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "theory_answer.hpp"

namespace polyak::cli {
namespace {

using Json = nlohmann::ordered_json;
using Notes = std::vector<std::string>;

// NaN, which compares as false, where it is absent.
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
        "M is infinite without gamma, for minibatch-nag as well: the theorem then "
        "asks for an infinite batch.");
  if (!answer.contains("k_star"))
    notes.push_back(
        "There is no k* below kappa = e^2; theta = 1/sqrt(kappa) takes the place of "
        "log(k*)/k*.");
  if (value(answer, "rate_theorem") >= 1.0)
    notes.push_back("The theorem's rate is not below 1: it promises nothing.");
  if (!answer.contains("batch_heuristic"))
    notes.push_back("Below kappa = 2 the paper's heuristic batch means nothing.");
}

void add_unknown(const TheoryFacts& facts, Notes& notes) {
  if (!facts.eta_known)
    notes.push_back("Uniform sampling without eta: nothing is certified, and B* has eta = 1.");
  if (!facts.eta_known && facts.energy)
    notes.push_back("The recipe is that for Gaussian rows; eta would make it safe for any.");
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
    notes.push_back("What needs a model of the noise, and so all eigenvalues, is left out.");
  else if (!facts.tuning)
    notes.push_back("Tuning is left out: it would take minutes with so many columns.");
}

void add_horizon(const TheoryRequest& request, const Json& horizon, Notes& notes) {
  if (request.matrix && horizon.contains("predicted"))
    notes.push_back("The predicted horizon is that of a residual of equal size in all rows.");
  const bool shown = horizon.contains("paper") && horizon["paper"] != "not applicable";
  if (shown && !request.residual_sigma)
    notes.push_back("The paper's horizon lacks its smaller term, which needs --residual-sigma.");
}

}  // namespace

Notes theory_notes(const TheoryRequest& request, const TheoryFacts& facts, const Json& answer) {
  Notes notes;
  if (facts.rows) add_vacuous("minibatch-hbm", answer, *facts.rows, notes);
  if (facts.rows) add_vacuous("minibatch-nag", answer["nag"], *facts.rows, notes);
  add_theorem(answer, notes);
  add_unknown(facts, notes);
  if (answer.contains("horizon")) add_horizon(request, answer["horizon"], notes);
  return notes;
}

}  // namespace polyak::cli
