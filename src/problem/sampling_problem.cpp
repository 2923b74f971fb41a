#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "problem/planted.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t tenth = std::numeric_limits<std::uint64_t>::max() / 10;  // of 2^64

// Row i of D·G from the draws of iteration i: the first decides D, the others
// the entries of G.
class RandomRow {
 public:
  RandomRow(std::uint64_t seed, Index cols)
      : random_(seed, stream::entries), draws_(to_size(cols) + 1) {}

  void draw(Index i) {
    random_.bits(static_cast<std::uint64_t>(i), 0, draws_.size(), draws_.data());
  }
  double value() const { return draws_[0] < tenth ? 10.0 : 1.0; }
  bool stored(Index j) const { return draws_[to_size(j) + 1] < tenth; }
  Index count() const {
    return std::count_if(draws_.begin() + 1, draws_.end(), [](auto v) { return v < tenth; });
  }

 private:
  Random random_;
  std::vector<std::uint64_t> draws_;
};

// Drawn twice, to count and to store: cheaper than a second copy in memory.
MatrixPtr sparse_matrix(const SamplingProblem& p, std::uint64_t seed, ThreadTeam& team) {
  Csr<double, std::int32_t> csr;
  csr.cols = p.cols;
  csr.row_start.assign(to_size(p.rows) + 1, 0);
  for_row_ranges(p.rows, team, [&](Index first, Index last) {
    RandomRow row(seed, p.cols);
    for (Index i = first; i < last; ++i) {
      row.draw(i);
      csr.row_start[to_size(i) + 1] = row.count();
    }
  });
  std::partial_sum(csr.row_start.begin(), csr.row_start.end(), csr.row_start.begin());
  csr.columns.resize(to_size(csr.row_start.back()));
  csr.values.resize(csr.columns.size());
  for_row_ranges(p.rows, team, [&](Index first, Index last) {
    RandomRow row(seed, p.cols);
    auto at = to_size(csr.row_start[to_size(first)]);
    for (Index i = first; i < last; ++i) {
      row.draw(i);
      for (Index j = 0; j < p.cols; ++j) {
        if (!row.stored(j)) continue;
        csr.columns[at] = static_cast<std::int32_t>(j);
        csr.values[at++] = row.value();
      }
    }
  });
  return csr_matrix(std::move(csr));
}

MatrixPtr full_matrix(const SamplingProblem& p, std::uint64_t seed, ThreadTeam& team) {
  std::vector<double> values = dense_storage(p.rows, p.cols);
  for_row_ranges(p.rows, team, [&](Index first, Index last) {
    RandomRow row(seed, p.cols);
    for (Index i = first; i < last; ++i) {
      row.draw(i);
      double* out = values.data() + i * p.cols;
      for (Index j = 0; j < p.cols; ++j) out[j] = row.stored(j) ? row.value() : 0.0;
    }
  });
  return dense_matrix(std::move(values), p.rows, p.cols);
}

}  // namespace

GeneratedProblem generate(const SamplingProblem& problem, const GenerateOptions& options) {
  require_size("rows", problem.rows, 1);
  require_size("cols", problem.cols, 1);
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (problem.cols > most) refuse("cols", std::to_string(problem.cols), "below 2^31");
  require_options(options);
  ThreadTeam team(options.threads);
  auto A = problem.dense ? full_matrix(problem, options.seed, team)
                         : sparse_matrix(problem, options.seed, team);
  return plant(std::move(A), normal_solution(problem.cols, options), options, team);
}

}  // namespace polyak
