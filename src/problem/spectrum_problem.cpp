#include <cmath>
#include <utility>

#include "linalg/blas.hpp"
#include "problem/haar.hpp"
#include "problem/planted.hpp"

namespace polyak {
namespace {

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

std::vector<double> squared_singular_values(const SpectrumProblem& problem) {
  check(problem);
  std::vector<double> values(to_size(problem.cols));
  for (Index j = 0; j < problem.cols; ++j) {
    values[to_size(j)] = squared_singular_value(problem, j);
    // A rho far above 1 makes powers that no number holds.
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

}  // namespace polyak
