#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "polyak/error.hpp"
#include "polyak/spectrum.hpp"
#include "sampling/law.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/row_kernel.hpp"

namespace polyak {
namespace {

// A alone: a problem whose right-hand side is zero.
Problem without_rhs(const MatrixPtr& A) {
  static constexpr double zero = 0.0;
  ProblemData data;
  data.A = A;
  data.b = Array(ConstView{&zero, A->rows(), 1, 0}, {});
  return Problem(std::move(data));
}

void check_size(const MatrixFacts& facts) {
  if (!(facts.frobenius2 > 0.0))
    throw Error(ErrorCode::bad_data, {.what = "every row of A is zero", .where = "A"});
  if (facts.scale.a != 1.0)
    throw Error(ErrorCode::bad_data,
                {.what = "the squares of A's entries leave the range of numbers",
                 .where = "A",
                 .expected = "entries between 1e-60 and 1e60",
                 .hint = "multiply A by a power of two"});
}

void add_spectrum(Extremes found, SpectrumFacts& out) {
  out.lambda_min = found.lambda_min;
  out.lambda_max = found.lambda_max;
  out.exact = found.exact;
  if (!found.exact) return;
  out.eigenvalues.assign(found.values.end() - found.resolved(), found.values.end());
  if (!found.vectors.empty())
    out.eigenvectors.assign(found.vectors.end() - found.resolved() * out.cols, found.vectors.end());
}

// ‖a_i‖²/p_i, row by row.
std::vector<double> norms2_over_p(const SpectrumFacts& facts) {
  std::vector<double> out(facts.norms2.size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (facts.norms2[i] > 0.0) out[i] = facts.norms2[i] / facts.probabilities[i];
  return out;
}

}  // namespace

SpectrumFacts spectrum_facts(const MatrixPtr& A, Sampling law, int threads, std::uint64_t seed) {
  ThreadTeam team(threads);
  const Problem problem = without_rhs(A);
  const MatrixFacts facts = gather_facts(problem, team);
  check_size(facts);
  SpectrumFacts out;
  out.rows = A->rows();
  out.cols = A->cols();
  out.zero_rows = facts.zero_rows;
  out.frobenius2 = facts.frobenius2;
  out.norms2.assign(facts.norms2.begin(), facts.norms2.end());
  const Sampler sampler(law_weights(law, facts.norms2, {}));
  for (Index i = 0; i < out.rows; ++i) out.probabilities.push_back(sampler.probability(i));
  // Certificates need the true ends: no sketch here.
  const SpectrumBy by =
      out.cols <= most_exact_columns ? SpectrumBy::exact : SpectrumBy::lanczos;
  add_spectrum(extremes(problem, facts, team, seed, by), out);
  if (law == Sampling::row_norm) return out;
  out.eta = std::max(1.0, sampling_eta(sampler, facts.norms2, facts.frobenius2));
  out.eta_effective = effective_eta(problem, facts, out.lambda_max, norms2_over_p(out), team, seed);
  return out;
}

RowScatter row_scatter(const MatrixPtr& A, const SpectrumFacts& facts, int threads,
                       std::uint64_t seed) {
  if (facts.eigenvectors.empty())
    throw Error(ErrorCode::usage,
                {.what = "there are no eigenvectors to look along", .where = "row_scatter"});
  ThreadTeam team(threads);
  const Index d = facts.cols, m = std::ssize(facts.eigenvalues);
  RowKernel kernel = row_kernel(without_rhs(A), MatrixFacts{}, Sampler(facts.probabilities),
                                facts.eigenvectors, team, seed);
  const double count = static_cast<double>(facts.rows - facts.zero_rows);
  const auto factor = [&](Index i) {
    const double p = facts.probabilities[to_size(i)];
    return p > 0.0 ? 1.0 / std::sqrt(p * count) : 0.0;
  };
  const std::vector<double> G = gram(*A, factor, team);
  const ConstView V{facts.eigenvectors.data(), m, d, d};
  Buffer image(m, d);
  gemm(1.0, V, Transpose::no, {G.data(), d, d, d}, Transpose::no, 0.0, image.view());
  RowScatter out{std::move(kernel.K), kernel.sampled, std::vector<double>(to_size(m), 0.0)};
  for (Index j = 0; j < m; ++j)
    for (Index k = 0; k < d; ++k) out.even_residual[to_size(j)] += V(j, k) * image.view()(j, k);
  return out;
}

}  // namespace polyak
