#include "spectrum/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/svd.hpp"
#include "linalg/symmetric.hpp"
#include "matrix/whole.hpp"
#include "polyak/error.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/lanczos.hpp"

namespace polyak {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// scale.a·√w_i: what turns a_i into a row of Ã.
std::function<double(Index)> row_factor(const Problem& problem, const MatrixFacts& facts) {
  return [&problem, &facts](Index i) {
    const auto& w = problem.weights();
    return facts.scale.a * (w.empty() ? 1.0 : std::sqrt(w[to_size(i)]));
  };
}

// v -> Σ_i c_i ã_i (ã_iᵀ v), one read of A.
RitzValues row_lanczos(const Problem& problem, Scale scale, std::span<const double> weights,
                       ThreadTeam& team, std::uint64_t seed, Index steps) {
  Products products(problem.A(), weights, {scale.a, scale.a}, team);
  const double zero = 0.0;
  const ConstView no_b{&zero, problem.rows(), 1, 0};
  const Index d = problem.cols();
  double residual2 = 0.0;
  return lanczos(d, steps, Random(seed, stream::lanczos),
                 [&](std::span<const double> v, std::span<double> out) {
                   products.full_gradient({v.data(), 1, d, d}, no_b, {out.data(), 1, d, d},
                                          {&residual2, 1});
                 });
}

// The eigenvalues of ÃᵀÃ by QR, which never squares A: what rounding makes of a
// zero is of the size of eps²·lambda_max.
std::vector<double> eigenvalues_by_qr(const Problem& problem, const MatrixFacts& facts,
                                      ThreadTeam& team) {
  const auto factor = row_factor(problem, facts);
  const auto rows = [&](Index first, Index, View out) {
    load_rows(problem.A(), factor, first, out);
  };
  const Buffer R = whole_r(problem.A(), problem.cols(), rows, team);
  const SvdSolution svd = singular_values(R.view());
  if (!svd.ok)
    throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
  std::vector<double> values(svd.singular_values.rbegin(), svd.singular_values.rend());
  for (double& v : values) v *= v;
  return values;
}

double smallest_above(const std::vector<double>& values, double line) {
  const auto first = std::upper_bound(values.begin(), values.end(), line);
  return first == values.end() ? values.back() : *first;
}

}  // namespace

Extremes exact_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        bool with_vectors) {
  const Index d = problem.cols();
  Extremes out;
  out.exact = true;
  out.source = "exact";
  if (d == 0) return out;
  std::vector<double> H = gram(problem.A(), row_factor(problem, facts), team);
  out.values.resize(to_size(d));
  if (with_vectors) {
    eigenvectors_of(H, out.values);
    out.vectors = std::move(H);
  } else {
    out.values = eigenvalues_of(std::move(H), d);
  }
  const double line = static_cast<double>(d) * eps * out.values.back();
  out.rows_read = static_cast<double>(problem.rows());
  // The sums in ÃᵀÃ may be off by more than that line (n equal rows are), and
  // then a zero eigenvalue stands above it.
  const double doubtful = line + gram_additions(problem.A()) * eps * out.values.back();
  const double lowest = smallest_above(out.values, line);
  if (lowest > line && lowest <= doubtful) {
    out.values = eigenvalues_by_qr(problem, facts, team);
    out.rows_read *= 2.0;
  }
  out.lambda_max = out.values.back();
  out.lambda_min = smallest_above(out.values, line);
  out.rank = std::count_if(out.values.begin(), out.values.end(), [&](double v) { return v > line; });
  return out;
}

Extremes lanczos_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                          std::uint64_t seed, Index steps) {
  Extremes out;
  out.source = "lanczos estimate";
  if (problem.cols() == 0) return out;
  const double d = static_cast<double>(problem.cols());
  const RitzValues ritz =
      row_lanczos(problem, facts.scale, problem.weights(), team, seed, steps);
  const double m = static_cast<double>(ritz.values.size());
  constexpr double failure = 1e-3;
  // Kuczynski and Wozniakowski's bound on how far theta_max may lie below.
  const double gap = std::pow(std::log(1.648 * std::sqrt(d) / failure) / (2.0 * m - 1.0), 2);
  const double theta_max = ritz.values.back();
  out.lambda_max = ritz.exhausted || gap >= 1.0 ? theta_max : theta_max / (1.0 - gap);
  if (!ritz.exhausted && gap >= 1.0) out.lambda_max = facts.frobenius2;
  out.lambda_max = std::min(out.lambda_max, facts.frobenius2);
  const double line = std::max(d * eps * out.lambda_max, 1e-12 * out.lambda_max);
  out.lambda_min = std::min(smallest_above(ritz.values, line), out.lambda_max);
  out.rows_read = m * static_cast<double>(problem.rows());
  return out;
}

Extremes extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                  std::uint64_t seed) {
  const Index d = problem.cols();
  return d <= most_exact_columns ? exact_extremes(problem, facts, team, d <= most_model_columns)
                                 : lanczos_extremes(problem, facts, team, seed);
}

double coherence_nu(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team) {
  const Index d = problem.cols(), n = problem.rows();
  double smallest = std::numeric_limits<double>::infinity();
  for (double v : facts.norms2)
    if (v > 0.0) smallest = std::min(smallest, v);
  if (d > most_exact_columns) return facts.frobenius2 / smallest;

  std::vector<double> V = gram(problem.A(), row_factor(problem, facts), team);
  std::vector<double> values(to_size(d));
  eigenvectors_of(V, values);
  // Row j of V is an eigenvector; dividing it by √lambda_j turns ‖V a‖² into
  // aᵀH⁻¹a. What AᵀA cannot resolve is left out.
  const double line = static_cast<double>(d) * eps * values.back();
  for (Index j = 0; j < d; ++j) {
    const double f = values[to_size(j)] > line ? 1.0 / std::sqrt(values[to_size(j)]) : 0.0;
    for (Index k = 0; k < d; ++k) V[to_size(j * d + k)] *= f;
  }
  const Index chunks = std::clamp<Index>(n / 256, 1, 64);
  std::vector<double> largest(to_size(chunks), 0.0);
  for_blocks(problem.A(), row_factor(problem, facts), chunks, team,
             [&](Index chunk, Index first, ConstView block) {
               std::vector<double> out(to_size(block.rows * d));
               gemm(1.0, block, Transpose::no, {V.data(), d, d, d}, Transpose::yes, 0.0,
                            {out.data(), block.rows, d, d});
               for (Index r = 0; r < block.rows; ++r) {
                 const double norm2 = facts.norms2[to_size(first + r)];
                 double leverage = 0.0;
                 for (Index j = 0; j < d; ++j)
                   leverage += out[to_size(r * d + j)] * out[to_size(r * d + j)];
                 if (norm2 > 0.0)
                   largest[to_size(chunk)] = std::max(largest[to_size(chunk)], leverage / norm2);
               }
             });
  return facts.frobenius2 * *std::max_element(largest.begin(), largest.end());
}

double effective_eta(const Problem& problem, const MatrixFacts& facts, double lambda_max,
                     std::span<const double> norm2_over_p, ThreadTeam& team, std::uint64_t seed) {
  const Index d = problem.cols();
  double top = 0.0;
  if (d <= most_exact_columns) {
    const auto factor = row_factor(problem, facts);
    const auto weighted = [&](Index i) { return factor(i) * std::sqrt(norm2_over_p[to_size(i)]); };
    top = eigenvalues_of(gram(problem.A(), weighted, team), d).back();
  } else {
    std::vector<double> weights(norm2_over_p.begin(), norm2_over_p.end());
    for (std::size_t i = 0; i < problem.weights().size(); ++i) weights[i] *= problem.weights()[i];
    top = row_lanczos(problem, facts.scale, weights, team, seed, 20).values.back();
  }
  return top / (facts.frobenius2 * lambda_max);
}

}  // namespace polyak
