#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "theory/blocks.hpp"
#include "theory/edges.hpp"
#include "theory/parameters.hpp"

namespace polyak::theory {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Below this kappa the heuristic grows without bound and is not shown.
constexpr double least_kappa_of_heuristic = 2.0;

std::optional<double> heuristic(const MatrixNumbers& n, const Parameters& p) {
  if (n.kappa() < least_kappa_of_heuristic) return {};
  return heuristic_batch(n.frobenius2, n.lambda_max, n.cols, n.eta, p.alpha, p.beta());
}

// Lemma (thm:HBM_condno): 4/(alpha·√(g(g + lmax − lmin))).
double lemma_condition(const Edges& e) {
  return e.discriminant > 0.0 ? 4.0 / std::sqrt(e.discriminant) : infinity;
}

}  // namespace

// Paper (eqn:heavyball_bd): x_{k+1} after k steps.
double heavy_ball_bound(double M, const Parameters& p, Index steps) {
  return std::sqrt(2.0) * M * std::pow(p.root, static_cast<double>(steps));
}

// √beta^k·min{1 + k(1 + √beta), 2√beta(1 + √beta)/√(4·beta − tau²)} (docs/theory,
// 1.3); only where no eigenvalue of T is real, up to rounding.
double heavy_ball_sharp_bound(const Parameters& p, double lmin, double lmax, Index steps) {
  const Edges e = edges(p, lmin, lmax);
  if (e.discriminant < -1e-12 || p.root >= 1.0) check_admissible(p, lmin, lmax);
  const double k = static_cast<double>(steps);
  double factor = 1.0 + k * (1.0 + p.root);
  if (e.discriminant > 0.0)
    factor = std::min(factor, 2.0 * p.root * (1.0 + p.root) / std::sqrt(e.discriminant));
  return steps == 0 ? 1.0 : factor * std::pow(p.root, k);
}

// k* = exp(u) with u − log u = log √kappa, the root above 1. The left side is
// convex and 2·log √kappa lies above the root, so Newton's steps go down.
std::optional<double> k_star(double kappa) {
  const double c = 0.5 * std::log(kappa);
  if (!(c >= 1.0)) return {};
  double u = 2.0 * c;
  for (int i = 0; i < 60; ++i) {
    const double next = u - (u - std::log(u) - c) / (1.0 - 1.0 / u);
    if (!(next < u) || next <= 1.0) break;
    u = next;
  }
  return std::exp(u);
}

double theta_of(double k_star) {
  if (k_star > 1.0) return std::log(k_star) / k_star;
  throw Error(
      ErrorCode::usage,
      {.what = "k* must be above 1", .found = std::to_string(k_star), .expected = "k* > 1"});
}

double theta_or_default(const MatrixNumbers& numbers, std::optional<double> k_star) {
  return k_star ? theta_of(*k_star) : 1.0 / std::sqrt(numbers.kappa());
}

// Theorem (thm:linear_cons) with the remark after it.
HeavyBallTheory heavy_ball_theory(const MatrixNumbers& n, double gamma,
                                  std::optional<double> given_k_star) {
  check(n);
  check_gamma(gamma);
  HeavyBallTheory out;
  out.optimal = heavy_ball_parameters(n.lambda_min, n.lambda_max);
  const Parameters p = heavy_ball_parameters(n.lambda_min, n.lambda_max, gamma);
  const Edges e = edges_of_gamma(p, n.lambda_min, n.lambda_max, gamma);
  out.parameters = p;
  out.M = condition_number(p, e);
  out.M_bound = lemma_condition(e);
  out.batch_heuristic = heuristic(n, p);
  out.k_star = given_k_star ? given_k_star : k_star(n.kappa());
  out.theta = theta_or_default(n, given_k_star);
  out.delta = 2.0 * out.theta / log_inverse_beta(p);
  out.rate_theorem = p.root * std::exp(out.theta);
  out.batch_theorem = theorem_batch(n, p, out.M, out.theta);
  out.batch_theorem_bound = theorem_batch(n, p, out.M_bound, out.theta);
  out.batch_vector = vector_batch(n, p, e, out.rate_theorem);
  out.batch_certified_stability = stability_threshold(
      worst_case_model(n.lambda_min, n.lambda_max, n.energy()), Method::heavy_ball, p);
  return out;
}

}  // namespace polyak::theory
