#include "spectrum/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/file_pages.hpp"
#include "linalg/blas.hpp"
#include "polyak/ranks.hpp"
#include "spectrum/eigenvalues.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/sketch.hpp"

namespace polyak {
namespace {

// Eigenvalues of a d × d Gram matrix with the largest eigenvalue `top` are zero up to rounding
// below this.
double rounding_line(Index d, double top) {
  return static_cast<double>(d) * std::numeric_limits<double>::epsilon() * top;
}

// scale.a·√w_i, the factor from a_i to row i of Ã.
RowFactor row_factor(const Problem& problem, const MatrixFacts& facts) {
  return [&problem, &facts](Index i) {
    const std::span<const double> w = problem.weights();
    use_in_turn(w.data(), i);
    return facts.scale.a * (w.empty() ? 1.0 : std::sqrt(w[to_size(i)]));
  };
}

// Lanczos on v ↦ Σ_i c_i ã_i (ã_iᵀ v) with c = weights; one read of A per step.
RitzValues row_lanczos(const Problem& problem, Scale scale, std::span<const double> weights,
                       ThreadTeam& team, std::uint64_t seed, Index steps) {
  Products products(problem.A(), weights, {scale.a, scale.a}, team);
  const double zero = 0.0;
  const ConstView no_b{&zero, problem.rows(), 1, 0};
  const Index d = problem.cols();
  double residual2 = 0.0;
  return lanczos(
      d, steps, Random(seed, stream::lanczos),
      [&](std::span<const double> v, std::span<double> out) {
        products.full_gradient({v.data(), 1, d, d}, no_b, {out.data(), 1, d, d}, {&residual2, 1});
      });
}

// The sketch is used only if it is twice as cheap, because it gives estimates only.
bool sketch_pays(const GramSize& A) {
  constexpr double max_bytes = 0x1p29;
  const auto s = static_cast<double>(extremes_sketch_rows(static_cast<Index>(A.d)));
  const double sketch = sketch_copies * A.n * A.d / nominal::far_adds + nominal::dense_gram(s, A.d);
  return 8.0 * s * A.d <= max_bytes && 2.0 * sketch < nominal::gram(A);
}

// Whether the error bars determine kappa well enough for a plan.
bool tight(const Extremes& found) {
  constexpr double max_ratio = 4.0;
  if (!found.lambda_min_range || !found.lambda_max_range) return false;
  if (found.unresolved > 0 || found.rank_open) return false;
  const Range &low = *found.lambda_min_range, &top = *found.lambda_max_range;
  return low.low > 0.0 && (top.high / low.low) <= max_ratio * (top.low / low.high);
}

}  // namespace

void Extremes::take_rank(const Resolved& found) {
  rank = found.rank;
  rank_open = !found.rank_known;
  unresolved = found.unresolved;
  smallest_singular = found.smallest_singular;
  rank_threshold = found.threshold;
  dependent = found.dependent;
}

GramMatrix problem_gram(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        std::span<const double> times) {
  const RowMatrix& A = problem.A();
  if (facts.sums) {
    RowNumbers weights(times.size());
    for (std::size_t i = 0; i < times.size(); ++i)
      weights[i] = times[i] * (problem.weights().empty() ? 1.0 : problem.weights()[i]);
    if (auto found = facts.sums->gram(A, facts.scale.a, weights, false)) return std::move(*found);
  }
  const RowFactor plain = row_factor(problem, facts);
  const RowFactor factor =
      times.empty() ? plain
                    : RowFactor([&](Index i) { return plain(i) * std::sqrt(times[to_size(i)]); });
  return {gram(A, factor, team), gram_additions(A)};
}

Extremes exact_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                        bool with_vectors) {
  const Index d = problem.cols();
  Extremes out;
  out.exact = true;
  out.source = "exact";
  if (d == 0) return out;
  const RowFactor factor = row_factor(problem, facts);
  auto [H, additions] = problem_gram(problem, facts, team);
  out.values.resize(to_size(d));
  if (with_vectors) {
    eigenvectors_of(H, out.values);
    out.vectors = std::move(H);
  } else {
    out.values = eigenvalues_of(std::move(H), d);
  }
  Resolved found = resolve(problem.A(), factor, std::move(out.values), additions, team);
  out.rows_read = (found.factored ? 2.0 : 1.0) * static_cast<double>(problem.rows());
  out.values = std::move(found.values);
  out.lambda_max = out.values.back();
  out.lambda_min = found.lambda_min;
  out.take_rank(found);
  if (out.rank_open) out.source = "exact for what A'A resolves";
  return out;
}

Extremes lanczos_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                          std::uint64_t seed, Index steps) {
  Extremes out;
  out.source = "lanczos estimate";
  if (problem.cols() == 0) return out;
  const double d = static_cast<double>(problem.cols());
  const RitzValues ritz = row_lanczos(problem, facts.scale, problem.weights(), team, seed, steps);
  const double m = static_cast<double>(ritz.values.size());
  constexpr double failure = 1e-3;
  // Bound of Kuczynski and Wozniakowski for (lambda_max − theta_max)/lambda_max.
  const double gap = std::pow(std::log(1.648 * std::sqrt(d) / failure) / (2.0 * m - 1.0), 2);
  const double theta_max = ritz.values.back();
  out.lambda_max = ritz.exhausted || gap >= 1.0 ? theta_max : theta_max / (1.0 - gap);
  if (!ritz.exhausted && gap >= 1.0) out.lambda_max = facts.frobenius2;
  if (!problem.A().only_products()) out.lambda_max = std::min(out.lambda_max, facts.frobenius2);
  const double line =
      std::max(rounding_line(problem.cols(), out.lambda_max), 1e-12 * out.lambda_max);
  out.lambda_min = std::min(smallest_above(ritz.values, line), out.lambda_max);
  out.lambda_max_range = Range{std::min(theta_max, out.lambda_max), out.lambda_max};
  out.rows_read = m * static_cast<double>(problem.rows());
  return out;
}

SpectrumBy cheapest_spectrum(const GramSize& A) {
  if (A.d > static_cast<double>(most_exact_columns)) return SpectrumBy::lanczos;
  const bool sketch = A.d > static_cast<double>(most_model_columns) && sketch_pays(A);
  return sketch ? SpectrumBy::sketch : SpectrumBy::exact;
}

Extremes extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                  std::uint64_t seed, SpectrumBy by) {
  const Index d = problem.cols();
  const bool on_device = d <= most_exact_columns && facts.sums && facts.sums->has_gram(problem.A());
  const SpectrumBy cheapest =
      on_device ? SpectrumBy::exact : cheapest_spectrum(gram_size(problem.A()));
  const SpectrumBy taken = problem.A().only_products()   ? SpectrumBy::lanczos
                           : by == SpectrumBy::automatic ? cheapest
                                                         : by;
  if (taken == SpectrumBy::lanczos) return lanczos_extremes(problem, facts, team, seed);
  if (taken == SpectrumBy::exact)
    return exact_extremes(problem, facts, team, d <= most_model_columns);
  return by == SpectrumBy::sketch ? sketch_extremes(problem, facts, team, seed)
                                  : sketched_or_exact_extremes(problem, facts, team, seed);
}

Extremes sketched_or_exact_extremes(const Problem& problem, const MatrixFacts& facts,
                                    ThreadTeam& team, std::uint64_t seed) {
  const Extremes sketched = sketch_extremes(problem, facts, team, seed);
  if (tight(sketched)) return sketched;
  Extremes exact = exact_extremes(problem, facts, team, problem.cols() <= most_model_columns);
  exact.rows_read += sketched.rows_read;
  return exact;
}

double coherence_nu(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team) {
  const Index d = problem.cols(), n = problem.rows();
  double smallest = std::numeric_limits<double>::infinity();
  for (double v : facts.norms2)
    if (v > 0.0) smallest = std::min(smallest, v);
  if (d > most_exact_columns) return facts.frobenius2 / smallest;

  std::vector<double> V = problem_gram(problem, facts, team).H;
  std::vector<double> values(to_size(d));
  eigenvectors_of(V, values);
  // Row j of V is an eigenvector; divided by √lambda_j it gives ‖V·a‖² = aᵀH⁻¹a. Eigenvalues
  // that are zero up to rounding are left out.
  const double line = rounding_line(d, values.back());
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
                     std::span<const double> norm2_over_p, ThreadTeam& team, std::uint64_t seed,
                     bool form) {
  const Index d = problem.cols();
  double top = 0.0;
  if (form && d <= most_exact_columns) {
    top = eigenvalues_of(problem_gram(problem, facts, team, norm2_over_p).H, d).back();
  } else {
    RowNumbers weights(norm2_over_p.size());
    const Partition own = partition(problem.A());
    for (std::size_t i = to_size(own.first); i < to_size(own.first + own.rows->rows()); ++i)
      weights[i] = norm2_over_p[i] * (problem.weights().empty() ? 1.0 : problem.weights()[i]);
    top = row_lanczos(problem, facts.scale, weights, team, seed, 20).values.back();
  }
  return top / (facts.frobenius2 * lambda_max);
}

}  // namespace polyak
