#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linalg/blas.hpp"
#include "problem/planted.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

constexpr std::uint64_t tenth =
    std::numeric_limits<std::uint64_t>::max() / 10;  // probability 1/10 for 64 random bits

// Row i of D·G from the draws of iteration i: the first gives D_ii, the others row i of G.
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

// The random numbers are drawn twice, to count and to store; this needs no second copy in memory.
MatrixPtr sparse_matrix(const SamplingProblem& p, std::uint64_t seed, ThreadTeam& team) {
  // On average a tenth of a row is stored; each row has a start, and a number in b.
  const double rows = static_cast<double>(p.rows), entries = 0.1 * static_cast<double>(p.cols);
  require_memory(rows * (entries * (sizeof(double) + sizeof(std::int32_t)) + 3 * sizeof(double)),
                 "a sparse matrix", "rows",
                 std::to_string(p.rows) + " x " + std::to_string(p.cols));
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

void check(const SpectrumProblem& p) {
  require_size("cols", p.cols, 1);
  require_size("rows", p.rows, p.cols);
  if (p.decay == Decay::given) {
    if (ssize(p.squared_singular_values) != p.cols) {
      refuse("squared_singular_values",
             std::to_string(p.squared_singular_values.size()) + " values",
             std::to_string(p.cols) + ", one per column");
    }
    for (double s : p.squared_singular_values) require_number("squared_singular_values", s, 0.0);
    return;
  }
  require_number("kappa", p.kappa, 1.0);
  require_number("rho", p.rho, 0.0, true);
  if (p.cols == 1 && p.kappa != 1.0) {
    refuse("kappa", std::to_string(p.kappa), "1, because one column has one singular value");
  }
}

// Equations (exponential_spec) and (algebraic_spec) of the paper; j counts
// from 0 here.
double squared_singular_value(const SpectrumProblem& p, Index j) {
  if (p.decay == Decay::given) return p.squared_singular_values[to_size(j)];
  if (j == 0) return 1.0;
  const double t = static_cast<double>(j) / static_cast<double>(p.cols - 1);
  if (p.decay == Decay::algebraic) return 1.0 + std::pow(t, p.rho) * (p.kappa - 1.0);
  return 1.0 + t * (p.kappa - 1.0) * std::pow(p.rho, static_cast<double>(p.cols - 1 - j));
}

// Σ·Vᵀ, d × d.
Buffer right_factor(const std::vector<double>& sigma2, std::uint64_t seed, ThreadTeam& team) {
  const Index d = ssize(sigma2);
  Buffer V(d, d), out(d, d);
  const Buffer R = haar_frame(V.view(), Random(seed, stream::right_vectors), team);
  solve_right(R.view(), V.view());
  for (Index j = 0; j < d; ++j) {
    const double sigma = std::sqrt(sigma2[to_size(j)]);
    for (Index i = 0; i < d; ++i) out.view()(j, i) = sigma * V.view()(i, j);
  }
  return out;
}

}  // namespace

GeneratedProblem generate(const SamplingProblem& problem, const GenerateOptions& options) {
  require_size("rows", problem.rows, 1);
  require_size("cols", problem.cols, 1);
  constexpr Index max_cols = std::numeric_limits<std::int32_t>::max();
  if (problem.cols > max_cols) refuse("cols", std::to_string(problem.cols), "below 2^31");
  require_options(options);
  ThreadTeam team(options.threads);
  auto A = problem.dense ? full_matrix(problem, options.seed, team)
                         : sparse_matrix(problem, options.seed, team);
  return plant(std::move(A), normal_solution(problem.cols, options), options, team);
}

std::vector<double> squared_singular_values(const SpectrumProblem& problem) {
  check(problem);
  constexpr double copies = 4.0;  // of callers that compute with them
  require_memory(copies * sizeof(double) * static_cast<double>(problem.cols), "singular values",
                 "cols", std::to_string(problem.cols) + " columns");
  std::vector<double> values(to_size(problem.cols));
  for (Index j = 0; j < problem.cols; ++j) {
    values[to_size(j)] = squared_singular_value(problem, j);
    // The powers of a rho far above 1 overflow.
    require_number("rho", values[to_size(j)], 0.0);
  }
  return values;
}

GeneratedProblem generate(const SpectrumProblem& problem, const GenerateOptions& options) {
  auto sigma2 = squared_singular_values(problem);
  require_options(options);
  std::vector<double> values = dense_storage(problem.rows, problem.cols);
  ThreadTeam team(options.threads);
  // A = Q·(R⁻¹·Σ·Vᵀ), where U = Q·R⁻¹: one product of d × d matrices, one pass.
  const View A{values.data(), problem.rows, problem.cols, problem.cols};
  const Buffer R = haar_frame(A, Random(options.seed, stream::left_vectors), team);
  Buffer M = right_factor(sigma2, options.seed, team);
  solve_left(R.view(), M.view());
  multiply_rows(A, M.view(), team);
  auto result = plant(dense_matrix(std::move(values), problem.rows, problem.cols),
                      normal_solution(problem.cols, options), options, team);
  result.squared_singular_values = std::move(sigma2);
  return result;
}

GeneratedProblem generate(const GaussianProblem& problem, const GenerateOptions& options) {
  require_size("rows", problem.rows, 1);
  require_size("cols", problem.cols, 1);
  require_options(options);
  std::vector<double> values = dense_storage(problem.rows, problem.cols);
  ThreadTeam team(options.threads);
  const Random random(options.seed, stream::entries);
  for_row_ranges(problem.rows, team, [&](Index first, Index last) {
    fill_normal(random, first, last, {values.data(), problem.rows, problem.cols, problem.cols});
  });
  return plant(dense_matrix(std::move(values), problem.rows, problem.cols),
               normal_solution(problem.cols, options), options, team);
}

GeneratedProblem generate(const StackedProblem& problem, const GenerateOptions& options) {
  require_size("copies", problem.copies, 1);
  require_options(options);
  const double c = std::cos(1.2), s = std::sin(1.2);
  const double u[2][2] = {{c, -s}, {s, c}};
  const double sigma[2] = {1.0, 2.25};
  std::vector<double> values = dense_storage(problem.copies, 4);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t i = k / 2 % 2, j = k % 2;
    values[k] = u[0][i] * sigma[0] * u[0][j] + u[1][i] * sigma[1] * u[1][j];
  }
  ThreadTeam team(options.threads);
  auto result =
      plant(dense_matrix(std::move(values), 2 * problem.copies, 2), {0.0, 0.0}, options, team);
  const auto copies = static_cast<double>(problem.copies);
  result.squared_singular_values = {copies * sigma[0] * sigma[0], copies * sigma[1] * sigma[1]};
  return result;
}

}  // namespace polyak
