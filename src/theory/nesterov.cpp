#include <cmath>
#include <limits>

#include "theory/blocks.hpp"
#include "theory/edges.hpp"

namespace polyak::theory {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Both ‖C_j‖ and ‖C_j⁻¹‖ are largest at lambda_min (docs/theory, E10):
// (1 + b + √((1 − b)² + t²))/√(4b − t²), where there
// 4b − t² = (1 + beta)²·g(g + lmax − lmin)/L².
struct SmallestBlock {
  double numerator, root;
};

SmallestBlock smallest_block(const MatrixNumbers& n, const Parameters& p, double gamma) {
  const Block at_min = block(Method::nesterov, p, n.lambda_min);
  const double c = 1.0 - at_min.b, g = gamma * n.lambda_min;
  return {
      1.0 + at_min.b + std::sqrt(c * c + at_min.t * at_min.t),
      (1.0 + p.beta()) * std::sqrt(p.alpha * g * p.alpha * (g + (n.lambda_max - n.lambda_min)))};
}

}  // namespace

// Theorem (thm:linear_cons_NAG) with gamma, without which M is infinite. The
// noise enters through [1 + beta, −beta], whose squared norm is at most 5.
NesterovTheory nesterov_theory(const MatrixNumbers& n, double gamma, std::optional<double> k_star) {
  check(n);
  check_gamma(gamma);
  NesterovTheory out;
  const Parameters p = nesterov_parameters(n.lambda_min, n.lambda_max, gamma);
  const auto [numerator, root] = smallest_block(n, p, gamma);
  const double g = gamma * n.lambda_min;
  const double s = std::sqrt((n.lambda_max + g) / (n.lambda_min - g));
  const double theta = theta_or_default(n, k_star);
  out.parameters = p;
  out.M = root > 0.0 ? numerator / root : infinity;
  out.M_bound = root > 0.0 ? 4.0 / root : infinity;
  out.rate = 1.0 - 1.0 / s;
  out.rate_factor = s / (s + 1.0);
  out.rate_theorem = out.rate_factor * std::exp(theta);
  out.batch_theorem = theorem_batch(n, p, out.M, theta, 5.0);
  return out;
}

}  // namespace polyak::theory
