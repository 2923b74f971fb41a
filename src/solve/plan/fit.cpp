#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "method/record.hpp"
#include "solve/plan/plan_table.hpp"
#include "solve/run/driver.hpp"

namespace polyak::internal {
namespace {

constexpr double max_normal_seconds = 5.0;
constexpr double max_updates = 3e8;  // of components, in a simulated run

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
  if (problem.rows() < problem.cols() || Costs(problem).normal() > max_normal_seconds)
    return std::nullopt;
  SolveOptions normal;
  normal.method = normal_record().info.name;
  normal.tol = options.tol;
  normal.threads = options.threads;
  normal.column_scaling = "none";  // columns are scaled already
  normal.only_resolved = true;
  normal.max_iterations = 1;
  const Report report = Driver(problem, normal).run(nullptr);
  if (!std::isfinite(report.used.condition.value_or(INFINITY))) return std::nullopt;
  return std::vector<double>(report.x.view().data, report.x.view().data + problem.cols());
}

Index max_steps(std::size_t components) {
  return static_cast<Index>(max_updates /
                            static_cast<double>(std::max<std::size_t>(1, components)));
}

// ‖A·e‖ relative to its first value: by the sizes, or for the worst direction.
double remaining(const std::vector<double>& factors, const std::vector<double>& sizes) {
  double left2 = 0.0, all2 = 0.0, worst = 0.0;
  for (std::size_t j = 0; j < factors.size(); ++j) {
    worst = std::max(worst, std::abs(factors[j]));
    if (sizes.empty()) continue;
    left2 += factors[j] * factors[j] * sizes[j] * sizes[j];
    all2 += sizes[j] * sizes[j];
  }
  return sizes.empty() || all2 == 0.0 ? worst : std::sqrt(left2 / all2);
}

double dot(const std::vector<double>& u, const std::vector<double>& v) {
  double sum = 0.0;
  for (std::size_t j = 0; j < u.size(); ++j) sum += u[j] * v[j];
  return sum;
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
  // |a_jᵀA·e| ≤ ‖a_j‖‖A·e‖: the tolerance is met for every column once ‖A·e‖ ≤ tol‖r*‖, and
  // by the residual once ‖A·e‖² + ‖r*‖² is (tol·size)².
  const double explained = std::max(std::sqrt(std::max(0.0, first * first - left * left)), 1e-300);
  const double room2 = std::pow(options.tol * size, 2) - left * left;
  out.fit_target = std::max(options.tol * left, std::sqrt(std::max(0.0, room2))) / explained;
  return out;
}

std::optional<double> momentum_steps(theory::Method method, const theory::Parameters& p,
                                     const FitComponents& fit, double target) {
  const std::size_t d = fit.eigenvalues.size();
  const double alpha = p.alpha, beta = p.beta();
  std::vector<double> before(d, 1.0), now(d, 1.0);
  for (Index k = 0; k < max_steps(d); ++k) {
    if (remaining(now, fit.sizes) <= target) return static_cast<double>(k);
    for (std::size_t j = 0; j < d; ++j) {
      const double shrink = 1.0 - alpha * fit.eigenvalues[j];
      const double ahead = beta * (now[j] - before[j]);
      const double next =
          method == theory::Method::nesterov ? shrink * (now[j] + ahead) : shrink * now[j] + ahead;
      before[j] = std::exchange(now[j], next);
    }
  }
  return std::nullopt;
}

// CGLS for Λ^½; r is the residual of the fit.
std::optional<double> krylov_steps(const FitComponents& fit, double target) {
  const std::size_t d = fit.eigenvalues.size();
  std::vector<double> roots(d), r(d), s(d), direction(d), q(d);
  for (std::size_t j = 0; j < d; ++j) {
    roots[j] = std::sqrt(fit.eigenvalues[j]);
    r[j] = fit.sizes.empty() ? 1.0 : fit.sizes[j];
    s[j] = direction[j] = roots[j] * r[j];
  }
  double gamma = dot(s, s);
  const double first2 = dot(r, r);
  for (Index k = 0; k < max_steps(d); ++k) {
    if (dot(r, r) <= target * target * first2) return static_cast<double>(k);
    for (std::size_t j = 0; j < d; ++j) q[j] = roots[j] * direction[j];
    const double step = gamma / dot(q, q);
    for (std::size_t j = 0; j < d; ++j) {
      r[j] -= step * q[j];
      s[j] = roots[j] * r[j];
    }
    const double next = dot(s, s);
    if (!(next > 0.0)) return static_cast<double>(k + 1);
    for (std::size_t j = 0; j < d; ++j) direction[j] = s[j] + next / gamma * direction[j];
    gamma = next;
  }
  return std::nullopt;
}

}  // namespace polyak::internal
