#include <fmt/format.h>

#include <cmath>

#include "polyak/io.hpp"
#include "polyak/spectrum.hpp"
#include "theory_facts.hpp"

namespace polyak::cli {
namespace {

// The exact recursion reads all rows at each of its steps.
constexpr Index most_exact_cols = 30, most_exact_rows = 20'000;
// Its search takes hundreds of rates: rows times columns squared at most this.
constexpr double most_exact_search = 2e4;

// As large in every row that is not zero.
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
  if (static_cast<double>(n * d * d) <= most_exact_search) out.tuning = out.model;
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
  if (found.cols <= most_exact_cols && found.rows <= most_exact_rows)
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

}  // namespace

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

}  // namespace polyak::cli
