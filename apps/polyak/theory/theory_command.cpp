#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "program.hpp"
#include "theory/theory.hpp"

namespace polyak::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TheoryLine {
  const char* where;  // JSON pointer into the answer
  const char* label;
  const char* sentence;  // a leading $ becomes "exact" or "model"
};
using TheoryLines = std::vector<TheoryLine>;

const TheoryLines spectrum_lines = {
    {"/lambda_min", "lambda_min", "smallest eigenvalue that is not zero"},
    {"/lambda_max", "lambda_max", "largest eigenvalue"},
    {"/kappa", "kappa", "lambda_max / lambda_min"},
    {"/kappa_bar", "kappa_bar", "average eigenvalue / lambda_min"},
    {"/frobenius2", "|A|_F^2", "sum of the eigenvalues"},
    {"/eta", "eta", "1 for the best sampling, else larger"},
    {"/eta_effective", "eta_effective", "the same, as it acts on the noise"},
};
const TheoryLines parameter_lines = {
    {"/alpha_star", "alpha*", "step that is best for exact gradients"},
    {"/beta_star", "beta*", "its momentum"},
    {"/alpha", "alpha", "step of minibatch-hbm with this gamma"},
    {"/beta", "beta", "its momentum"},
    {"/M", "M", "condition number of the iteration"},
    {"/M_bound", "M, bound", "its bound by the paper's lemma"},
    {"/k_star", "k*", "trades batch for rate in the theorem"},
    {"/delta", "delta", "part of the exponent lost by it"},
    {"/rate_theorem", "rate, theorem", "the error falls by this in each iteration"},
    {"/nag/alpha", "NAG: alpha", "step of minibatch-nag"},
    {"/nag/beta", "NAG: beta", "its momentum"},
    {"/nag/M", "NAG: M", "condition number of its iteration"},
    {"/nag/rate", "NAG: rate", "with exact gradients"},
};
const TheoryLines batch_lines = {
    {"/batch_stability", "stability", "$: smaller batches diverge"},
    {"/batch_certified_stability", "stability, certified", "certified: larger batches never do"},
    {"/batch_vector", "rate, certified", "certified: gives the theorem's rate"},
    {"/batch_heuristic", "B*", "heuristic of the paper; a scale, no bound"},
    {"/batch_theorem", "theorem", "the paper's own batch for its rate"},
    {"/nag/batch_stability", "NAG: stability", "$: smaller batches diverge"},
    {"/nag/batch_theorem", "NAG: theorem", "the paper's own batch for NAG"},
};
const TheoryLines own_batch_lines = {
    {"/predicted_rate", "rate", "$: of alpha and beta; above 1 diverges"},
    {"/certified_rate", "rate, certified", "certified: no such A is slower"},
    {"/stability_number", "stability number", "below 1: certified stable"},
    {"/tuned/alpha", "tuned: alpha", "step that is best for this batch"},
    {"/tuned/beta", "tuned: beta", "its momentum"},
    {"/tuned/predicted_rate", "tuned: rate", "$: the rate of these"},
    {"/tuned/certified_rate", "tuned: certified", "certified: at worst this"},
    {"/recipe/alpha", "recipe: alpha", "the same in closed form"},
    {"/recipe/beta", "recipe: beta", "its momentum"},
    {"/recipe/predicted_rate", "recipe: rate", "$: the rate of these"},
    {"/recipe/certified_rate", "recipe: certified", "certified: at worst this"},
    {"/recipe/stability_number", "recipe: stability", "below 1: certified stable"},
};
const TheoryLines horizon_lines = {
    {"/horizon/predicted", "predicted", "$: final distance to the solution"},
    {"/horizon/certified", "certified", "certified: at most this"},
    {"/horizon/paper", "paper", "the paper's bound"},
};

std::string value_text(const Json& value) {
  if (value.is_string()) return value == "inf" ? "infinite" : value.get<std::string>();
  return fmt::format("{:.6g}", value.get<double>());
}

std::string group(const std::string& title, const TheoryLines& lines, const Json& answer) {
  const bool exact = answer.value("model", "") == "exact";
  std::string out;
  for (const TheoryLine& line : lines) {
    const Json::json_pointer where(line.where);
    if (!answer.contains(where)) continue;
    std::string sentence = line.sentence;
    if (sentence.starts_with('$')) sentence.replace(0, 1, exact ? "exact" : "model");
    out += fmt::format("  {:<20} {:<14} {}\n", line.label, value_text(answer[where]), sentence);
  }
  return out.empty() ? out : "\n" + title + "\n" + out;
}

std::string model_sentence(const std::string& model) {
  if (model.empty()) return {};
  if (model == "exact") return "exact: holds for this matrix, by its second moments.\n";
  if (model.starts_with("diag"))
    return "model: expected for this matrix, within a factor of 2; rather too optimistic.\n";
  return "model: expected for Gaussian rows with this spectrum; other rows may need more.\n";
}

std::string notes(const Json& answer) {
  std::string out;
  if (!answer.contains("notes")) return out;
  for (const Json& sentence : answer["notes"]) out += "Note: " + sentence.get<std::string>() + "\n";
  return out;
}

std::string theory_text(const TheoryRequest& request, const TheoryFacts& facts,
                        const Json& answer) {
  std::string out = fmt::format("A: {}; {} sampling\n", facts.input, request.sampling);
  out += group(facts.exact ? "The spectrum of A'A" : "The spectrum of A'A, estimated",
               spectrum_lines, answer);
  out += group(fmt::format("The paper's parameters, gamma = {:g}", request.gamma), parameter_lines,
               answer);
  out += group("How large a batch", batch_lines, answer);
  if (request.batch)
    out += group(fmt::format("For your batch of {:g}", *request.batch), own_batch_lines, answer);
  if (request.residual_norm)
    out += group(
        fmt::format("How near alpha and beta get when |Ax - b| stays {:g}", *request.residual_norm),
        horizon_lines, answer);
  out += "\n";
  if (facts.eta_known && facts.exact)
    out += "certified: proved for every A with this spectrum and eta.\n";
  return out + model_sentence(answer.value("model", "")) + notes(answer);
}

Usage theory_usage() {
  return {
      .command = "theory",
      .positionals = {},
      .required = 0,
      .text = R"(Compute, without running anything, how large a batch must be, how fast minibatch
heavy ball then converges, and the best step and momentum for it.

Usage: polyak theory --decay NAME --rho RHO --kappa K --cols D [options]
       polyak theory --lambda-min L --lambda-max L --frobenius2 F --cols D
                     [options]
       polyak theory --matrix FILE [options]
)",
      .ending = R"(
Examples:
  polyak theory --decay algebraic --rho 1 --kappa 100 --cols 100 --batch 4735
  polyak theory --lambda-min 1 --lambda-max 50 --frobenius2 197 --cols 9 --json
  polyak theory --matrix A.npy --sampling uniform --batch 500
)"};
}

}  // namespace

int theory_command(const Words& words, Messages& messages) {
  TheoryRequest request;
  MessageOptions message;
  const OptionSet options = theory_option_set(request, message);
  const Parsed parsed = parse(words, options, theory_usage());
  if (parsed.help) return print(help_text(theory_usage(), options)), 0;
  messages.configure(message);
  check_theory(request, parsed.given);
  const TheoryFacts facts = theory_facts(request, messages);
  messages.status("computing");
  const Json answer = theory_answer(request, facts);
  messages.status("");
  print(request.json ? answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                     : theory_text(request, facts, answer));
  return 0;
}

}  // namespace polyak::cli
