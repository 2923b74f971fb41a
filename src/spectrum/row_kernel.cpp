#include "spectrum/row_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "matrix/row_lists.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "polyak/spectrum.hpp"
#include "sampling/batches.hpp"
#include "sampling/law.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/gram.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

constexpr Index kernel_block_rows = 256;
constexpr Index chunks = 16;

// The rows in use, and the weight of each in the sum.
struct Chosen {
  std::vector<Index> rows;
  std::vector<double> weights;
};

// All rows of the sampler (with several ranks those of this rank), or a sample of them.
Chosen choose(const Sampler& sampler, Index n, Index samples, ThreadTeam& team,
              std::uint64_t seed) {
  Chosen out;
  if (n <= samples) {
    for (Index i = sampler.first(); i < sampler.first() + sampler.rows(); ++i) {
      if (sampler.probability(i) == 0.0) continue;
      out.rows.push_back(i);
      out.weights.push_back(1.0 / sampler.probability(i));
    }
    return out;
  }
  BatchDrawer drawer(sampler, samples, {}, team);
  drawer.draw(Random(seed, stream::kernel), 0);
  out.rows.assign(drawer.rows().begin(), drawer.rows().end());
  for (Index i : out.rows) {
    const double p = sampler.probability(i);
    out.weights.push_back(1.0 / (p * p * static_cast<double>(samples)));
  }
  return out;
}

// The chosen rows that this rank holds.
Chosen held_here(const Chosen& all, const Partition& own) {
  Chosen out;
  for (std::size_t t = 0; t < all.rows.size(); ++t) {
    if (all.rows[t] < own.first || all.rows[t] >= own.first + own.rows->rows()) continue;
    out.rows.push_back(all.rows[t]);
    out.weights.push_back(all.weights[t]);
  }
  return out;
}

// A problem with this A and a zero right-hand side.
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
                {.what = "the squares of the entries of A overflow or underflow",
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

// ‖a_i‖²/p_i for each row.
std::vector<double> norms2_over_p(const SpectrumFacts& facts) {
  std::vector<double> out(facts.norms2.size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (facts.norms2[i] > 0.0) out[i] = facts.norms2[i] / facts.probabilities[i];
  return out;
}

}  // namespace

RowKernel internal::row_kernel(const Problem& problem, const MatrixFacts& facts,
                               const Sampler& sampler, const std::vector<double>& vectors,
                               ThreadTeam& team, std::uint64_t seed, Index samples) {
  const Index d = problem.cols(), m = std::ssize(vectors) / d;
  const Chosen chosen =
      held_here(choose(sampler, problem.rows(), samples, team, seed), partition(problem.A()));
  const Index count = std::ssize(chosen.rows);
  const auto& w = problem.weights();
  std::vector<double> parts(to_size(chunks * m * m), 0.0);
  team.run(chunks, [&](Index chunk) {
    std::vector<double> rows(to_size(kernel_block_rows * d)),
        turned(to_size(kernel_block_rows * m));
    const Index last = (chunk + 1) * count / chunks, begin = chunk * count / chunks;
    AnnouncedRows announced(problem.A(),
                            std::span(chosen.rows).subspan(to_size(begin), to_size(last - begin)));
    for (Index first = chunk * count / chunks; first < last; first += kernel_block_rows) {
      const View block{rows.data(), std::min(kernel_block_rows, last - first), d, d};
      const View u{turned.data(), block.rows, m, m};
      for (Index r = 0; r < block.rows; ++r) {
        const Index i = chosen.rows[to_size(first + r)];
        announced.used(first + r - begin);
        problem.A().copy_rows(i, i + 1, {block.row(r), 1, d, d});
      }
      gemm(1.0, block, Transpose::no, {vectors.data(), m, d, d}, Transpose::yes, 0.0, u);
      for (Index r = 0; r < block.rows; ++r) {
        const std::size_t t = to_size(first + r);
        const double own = w.empty() ? 1.0 : w[to_size(chosen.rows[t])];
        const double root = std::sqrt(chosen.weights[t]) * own;
        for (Index j = 0; j < m; ++j) {
          const double a = facts.scale.a * u(r, j);
          u(r, j) = root * a * a;
        }
      }
      add_gram(u, {parts.data() + chunk * m * m, m, m, m});
    }
  });
  RowKernel out;
  out.K.assign(parts.begin(), parts.begin() + m * m);
  for (Index chunk = 1; chunk < chunks; ++chunk)
    for (Index k = 0; k < m * m; ++k) out.K[to_size(k)] += parts[to_size(chunk * m * m + k)];
  communicator(problem.A()).sum(out.K);
  copy_upper_to_lower({out.K.data(), m, m, m});
  out.sampled = problem.rows() > samples;
  out.rows_read = static_cast<double>(count);
  communicator(problem.A()).sum({&out.rows_read, 1});
  return out;
}

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
  // No sketch here: certificates need true bounds of the spectrum.
  const SpectrumBy by = out.cols <= most_exact_columns ? SpectrumBy::exact : SpectrumBy::lanczos;
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
                {.what = "the facts hold no eigenvectors", .where = "row_scatter"});
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
