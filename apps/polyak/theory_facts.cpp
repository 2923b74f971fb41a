#include "theory_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "memory.hpp"
#include "polyak/generate.hpp"

namespace polyak::cli {
namespace {

// The model of row-norm sampling holds d × d numbers; a search takes hundreds
// of rates.
constexpr Index most_model_cols = 2000, most_tuned_cols = 500;

void add_eta(const TheoryRequest& request, TheoryFacts& facts) {
  facts.eta_known = request.eta.has_value() || request.sampling != "uniform";
  facts.numbers.eta = request.eta.value_or(1.0);
  theory::check(facts.numbers);
  if (facts.eta_known) facts.energy = facts.numbers.energy();
}

std::vector<double> spectrum_of(const TheoryRequest& request) {
  SpectrumProblem shape;
  shape.cols = *request.cols;
  shape.rows = shape.cols;
  shape.decay = request.decay == "algebraic" ? Decay::algebraic : Decay::exponential;
  shape.kappa = *request.kappa;
  shape.rho = *request.rho;
  return with_memory_for("--cols", [&] { return squared_singular_values(shape); });
}

TheoryFacts from_decay(const TheoryRequest& request) {
  TheoryFacts out;
  out.input = fmt::format("{} decay, rho {:g}, kappa {:g}, {} columns", *request.decay,
                          *request.rho, *request.kappa, *request.cols);
  const auto& l = out.eigenvalues = spectrum_of(request);
  const auto [low, high] = std::minmax_element(l.begin(), l.end());
  out.numbers = {*low, *high, std::accumulate(l.begin(), l.end(), 0.0), *request.cols, 1.0};
  out.rows = request.rows;
  add_eta(request, out);
  add_gaussian_model(request, out);
  return out;
}

TheoryFacts from_ends(const TheoryRequest& request) {
  TheoryFacts out;
  out.input = fmt::format("{} columns, known by the ends of its spectrum", *request.cols);
  out.numbers = {*request.lambda_min, *request.lambda_max, *request.frobenius2, *request.cols, 1.0};
  out.rows = request.rows;
  add_eta(request, out);
  const double most = static_cast<double>(*request.cols) * *request.lambda_max;
  if (*request.frobenius2 > most * (1.0 + 1e-9))
    throw Error(ErrorCode::usage,
                {.what = "the squared Frobenius norm is larger than cols times lambda_max",
                 .where = "--frobenius2",
                 .found = fmt::format("{:g}", *request.frobenius2),
                 .expected = fmt::format("at most {:g}", most)});
  return out;
}

}  // namespace

// Under uniform sampling S = Σ p_i⁻¹‖a_i‖² a_i a_iᵀ of Gaussian rows is
// ‖A‖_F²·H + 2H², so that ‖A‖_F² + 2·lambda_max stands for eta·‖A‖_F² there.
void add_gaussian_model(const TheoryRequest& request, TheoryFacts& facts) {
  const theory::MatrixNumbers& n = facts.numbers;
  const bool uniform = request.sampling == "uniform";
  if (!facts.energy) facts.energy = n.frobenius2 + 2.0 * n.lambda_max;
  if (uniform)
    facts.model = theory::gaussian_uniform_model(facts.eigenvalues, facts.rows.value_or(0));
  else if (n.cols <= most_model_cols)
    facts.model = theory::gaussian_row_norm_model(facts.eigenvalues);
  if (!facts.model) return;
  facts.model_name = facts.model->name;
  facts.model->energy = *facts.energy;
  if (n.cols <= most_tuned_cols) facts.tuning = facts.model;
}

TheoryFacts theory_facts(const TheoryRequest& request, Messages& messages) {
  if (request.decay) return from_decay(request);
  if (request.lambda_min) return from_ends(request);
  return with_memory_for(*request.matrix, [&] { return matrix_facts(request, messages); });
}

theory::Model certificate(const TheoryFacts& facts) {
  const theory::MatrixNumbers& n = facts.numbers;
  if (facts.eigenvalues.empty())
    return theory::worst_case_model(n.lambda_min, n.lambda_max, n.energy());
  return theory::worst_case_model(facts.eigenvalues, n.energy());
}

}  // namespace polyak::cli
