#include "spectrum/row_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/blas.hpp"
#include "polyak/ranks.hpp"
#include "sampling/batch_drawer.hpp"

namespace polyak {
namespace {

constexpr Index block_rows = 256;
constexpr Index chunks = 16;

// Which rows stand for all of them, and with which weight each.
struct Chosen {
  std::vector<Index> rows;
  std::vector<double> weights;
};

// Of the rows that the sampler has: with ranks, those of this one.
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

// Those of the rows held here, and their weights.
Chosen held_here(const Chosen& all, const Partition& own) {
  Chosen out;
  for (std::size_t t = 0; t < all.rows.size(); ++t) {
    if (all.rows[t] < own.first || all.rows[t] >= own.first + own.rows->rows()) continue;
    out.rows.push_back(all.rows[t]);
    out.weights.push_back(all.weights[t]);
  }
  return out;
}

}  // namespace

RowKernel row_kernel(const Problem& problem, const MatrixFacts& facts, const Sampler& sampler,
                     const std::vector<double>& vectors, ThreadTeam& team, std::uint64_t seed,
                     Index samples) {
  const Index d = problem.cols(), m = std::ssize(vectors) / d;
  const Chosen chosen =
      held_here(choose(sampler, problem.rows(), samples, team, seed), partition(problem.A()));
  const Index count = std::ssize(chosen.rows);
  const auto& w = problem.weights();
  std::vector<double> parts(to_size(chunks * m * m), 0.0);
  team.run(chunks, [&](Index chunk) {
    std::vector<double> rows(to_size(block_rows * d)), turned(to_size(block_rows * m));
    const Index last = (chunk + 1) * count / chunks;
    for (Index first = chunk * count / chunks; first < last; first += block_rows) {
      const View block{rows.data(), std::min(block_rows, last - first), d, d};
      const View u{turned.data(), block.rows, m, m};
      for (Index r = 0; r < block.rows; ++r) {
        const Index i = chosen.rows[to_size(first + r)];
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

}  // namespace polyak
