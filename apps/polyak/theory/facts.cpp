#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/memory.hpp"
#include "polyak/generate.hpp"
#include "polyak/io.hpp"
#include "polyak/spectrum.hpp"
#include "theory/theory.hpp"

namespace polyak::cli {
namespace {

// Limits of cost: the model of row-norm sampling holds d × d numbers, and a search for the
// best parameters computes hundreds of rates.
constexpr Index max_model_cols = 2000, max_tuned_cols = 500;

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

// Under uniform sampling S = Σ p_i⁻¹‖a_i‖² a_i a_iᵀ of Gaussian rows is
// ‖A‖_F²·H + 2H², so that ‖A‖_F² + 2·lambda_max replaces eta·‖A‖_F².
void add_gaussian_model(const TheoryRequest& request, TheoryFacts& facts) {
  const theory::MatrixNumbers& n = facts.numbers;
  const bool uniform = request.sampling == "uniform";
  if (!facts.energy) facts.energy = n.frobenius2 + 2.0 * n.lambda_max;
  if (uniform)
    facts.model = theory::gaussian_uniform_model(facts.eigenvalues, facts.rows.value_or(0));
  else if (n.cols <= max_model_cols)
    facts.model = theory::gaussian_row_norm_model(facts.eigenvalues);
  if (!facts.model) return;
  facts.model_name = facts.model->name;
  facts.model->energy = *facts.energy;
  if (n.cols <= max_tuned_cols) facts.tuning = facts.model;
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
  out.input = fmt::format("{} columns, given by the ends of its spectrum", *request.cols);
  out.numbers = {*request.lambda_min, *request.lambda_max, *request.frobenius2, *request.cols, 1.0};
  out.rows = request.rows;
  add_eta(request, out);
  const double largest = static_cast<double>(*request.cols) * *request.lambda_max;
  if (*request.frobenius2 > largest * (1.0 + 1e-9))
    throw Error(ErrorCode::usage,
                {.what = "the squared Frobenius norm is larger than cols times lambda_max",
                 .where = "--frobenius2",
                 .found = fmt::format("{:g}", *request.frobenius2),
                 .expected = fmt::format("at most {:g}", largest)});
  return out;
}

// The exact recursion reads all rows in each step.
constexpr Index max_exact_cols = 30, max_exact_rows = 20'000;
// Its search computes hundreds of rates: limit of rows · columns².
constexpr double max_exact_search = 2e4;

// A residual of this norm, of equal size in all nonzero rows.
std::vector<double> even_residual(const SpectrumFacts& found, double norm) {
  const double count = static_cast<double>(found.rows - found.zero_rows);
  return std::vector<double>(found.norms2.size(), norm / std::sqrt(count));
}

void add_exact_model(const RowMatrix& A, const SpectrumFacts& found, double residual_norm,
                     TheoryFacts& out) {
  const Index n = found.rows, d = found.cols;
  std::vector<double> values(to_size(n * d));
  A.copy_rows(0, n, {values.data(), n, d, d});
  out.dense = Array(std::move(values), n, d);
  auto noise = theory::noise_of_rows(out.dense.view(), found.probabilities,
                                     even_residual(found, residual_norm));
  out.model = theory::exact_model(found.eigenvalues, found.eigenvectors, std::move(noise));
  out.model->energy = *out.energy;
  out.model_name = "exact";
  if (static_cast<double>(n * d * d) <= max_exact_search) out.tuning = out.model;
}

void add_diag_model(const MatrixPtr& A, const SpectrumFacts& found, TheoryFacts& out) {
  RowScatter scatter = row_scatter(A, found);
  out.tuning = theory::diag_model(found.eigenvalues, scatter.K, std::move(scatter.even_residual));
  out.tuning->energy = *out.energy;
  if (out.model) return;
  out.model = out.tuning;
  out.model_name = scatter.sampled ? "diag, from sampled rows" : "diag";
}

void add_models(const MatrixPtr& A, const SpectrumFacts& found, const TheoryRequest& request,
                TheoryFacts& out) {
  if (found.eigenvalues.empty()) return;
  if (found.eigenvectors.empty()) return add_gaussian_model(request, out);
  if (found.cols <= max_exact_cols && found.rows <= max_exact_rows)
    add_exact_model(*A, found, request.residual_norm.value_or(0.0), out);
  if (!out.tuning) add_diag_model(A, found, out);
}

MatrixPtr read(const TheoryRequest& request, Messages& messages) {
  messages.status("reading " + *request.matrix);
  const Table table = read_table(*request.matrix, request.data.read_options());
  if (table.dropped_rows > 0)
    messages.warning(
        fmt::format("{} rows with NaN, Inf or an empty cell dropped", table.dropped_rows));
  return table.A;
}

TheoryFacts matrix_facts(const TheoryRequest& request, Messages& messages) {
  const MatrixPtr A = read(request, messages);
  messages.status("looking at A");
  const Sampling law = request.sampling == "uniform" ? Sampling::uniform : Sampling::row_norm;
  const SpectrumFacts found = spectrum_facts(A, law);
  TheoryFacts out;
  out.input = fmt::format("{}, {} x {}", *request.matrix, found.rows, found.cols);
  out.numbers = {found.lambda_min, found.lambda_max, found.frobenius2, found.cols, found.eta};
  theory::check(out.numbers);
  out.exact = found.exact;
  out.eigenvalues = found.eigenvalues;
  out.rows = found.rows;
  out.zero_rows = found.zero_rows;
  if (found.exact) out.rank = std::ssize(found.eigenvalues);
  out.eta_effective = found.eta_effective;
  out.energy = out.numbers.energy();
  add_models(A, found, request, out);
  return out;
}

}  // namespace

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
