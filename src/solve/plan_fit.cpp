#include "solve/plan_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/costs.hpp"
#include "solve/driver.hpp"

namespace polyak {
namespace {

constexpr double most_seconds = 5.0;  // of normal equations, for a plan

double residual_of(const Problem& problem, Products& products, std::vector<double>& x,
                   std::vector<double>& g) {
  const Index d = problem.cols();
  double residual2 = 0.0;
  products.full_gradient({x.data(), 1, d, d}, problem.b(), {g.data(), 1, d, d}, {&residual2, 1});
  return std::sqrt(residual2);
}

// x* from the gradient at 0, component by component.
std::vector<double> by_eigenvectors(const Problem& problem, const MatrixFacts& facts,
                                    const Extremes& extremes, const std::vector<double>& values,
                                    Products& products, std::vector<double>& start) {
  const Index d = problem.cols(), skip = d - std::ssize(values);
  std::vector<double> x(to_size(d), 0.0), g(x.size());
  residual_of(problem, products, x, g);
  const double unit = facts.scale.a / facts.scale.b;
  for (Index j = 0; j < std::ssize(values); ++j) {
    const double* v = extremes.vectors.data() + (skip + j) * d;
    start.push_back(std::inner_product(v, v + d, g.begin(), 0.0) / values[to_size(j)]);
    for (Index k = 0; k < d; ++k) x[to_size(k)] -= unit * start.back() * v[k];
  }
  return x;
}

std::optional<std::vector<double>> by_normal_equations(const Problem& problem,
                                                       const SolveOptions& options) {
  if (problem.rows() < problem.cols() || Costs(problem).normal() > most_seconds) return std::nullopt;
  SolveOptions normal;
  normal.method = "normal";
  normal.tol = options.tol;
  normal.threads = options.threads;
  normal.column_scaling = "none";  // they are scaled by now
  normal.only_resolved = true;
  normal.max_iterations = 1;
  const Report report = Driver(problem, normal).run(nullptr);
  if (!std::isfinite(report.used.condition.value_or(INFINITY))) return std::nullopt;
  return std::vector<double>(report.x.view().data, report.x.view().data + problem.cols());
}

}  // namespace

PlanFit fit_without_b(Index cols, double tol) {
  PlanFit out;
  out.fit_target = out.target = tol * (1.0 + std::sqrt(static_cast<double>(cols)));
  return out;
}

PlanFit fit_of_b(const Problem& problem, const MatrixFacts& facts, const Extremes& extremes,
                 const std::vector<double>& resolved, const SolveOptions& options,
                 Products& products) {
  PlanFit out = fit_without_b(problem.cols(), options.tol);
  const double first = facts.b_norms[0];
  if (problem.right_hand_sides() != 1 || first == 0.0) return out;
  std::vector<double> x;
  if (!extremes.vectors.empty()) {
    x = by_eigenvectors(problem, facts, extremes, resolved, products, out.start);
  } else if (extremes.exact) {
    auto found = by_normal_equations(problem, options);
    if (found) x = std::move(*found);
  }
  if (x.empty()) return out;
  std::vector<double> g(x.size());
  const double left = residual_of(problem, products, x, g);
  // Σ‖a_j‖|x_j| + ‖b‖, against which a residual is measured (both norms are scaled).
  double size = first;
  for (std::size_t j = 0; j < x.size(); ++j)
    size += facts.column_norms[j] * std::abs(x[j]) * facts.scale.b / facts.scale.a;
  out.known = true;
  out.relative_residual = left / first;
  out.consistent = left <= options.tol * size;
  out.target = options.tol * size / first;
  // |a_jᵀA·e| ≤ ‖a_j‖‖A·e‖: the tolerance is met for every column once ‖A·e‖ ≤ tol‖r*‖; and
  // for all together once ‖A·e‖² + ‖r*‖² is (tol·size)².
  const double explained = std::max(std::sqrt(std::max(0.0, first * first - left * left)), 1e-300);
  const double room2 = std::pow(options.tol * size, 2) - left * left;
  out.fit_target = std::max(options.tol * left, std::sqrt(std::max(0.0, room2))) / explained;
  return out;
}

}  // namespace polyak
