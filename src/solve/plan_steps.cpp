#include "solve/plan_steps.hpp"

#include <algorithm>
#include <cmath>

namespace polyak {
namespace {

constexpr double most_work = 3e8;

Index most_steps(std::size_t components) {
  return static_cast<Index>(most_work / static_cast<double>(std::max<std::size_t>(1, components)));
}

// What is left of the fit: by the components, or the worst there could be.
double left_of(const std::vector<double>& factors, const std::vector<double>& sizes) {
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

std::optional<double> momentum_steps(theory::Method method, const theory::Parameters& p,
                                     const FitComponents& fit, double target) {
  const std::size_t d = fit.eigenvalues.size();
  const double alpha = p.alpha, beta = p.beta();
  std::vector<double> before(d, 1.0), now(d, 1.0);
  for (Index k = 0; k < most_steps(d); ++k) {
    if (left_of(now, fit.sizes) <= target) return static_cast<double>(k);
    for (std::size_t j = 0; j < d; ++j) {
      const double shrink = 1.0 - alpha * fit.eigenvalues[j];
      const double ahead = beta * (now[j] - before[j]);
      const double next = method == theory::Method::nesterov ? shrink * (now[j] + ahead)
                                                             : shrink * now[j] + ahead;
      before[j] = std::exchange(now[j], next);
    }
  }
  return std::nullopt;
}

// CGLS for Λ^½: r is what is left of the fit.
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
  for (Index k = 0; k < most_steps(d); ++k) {
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

}  // namespace polyak
