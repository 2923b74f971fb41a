#include "theory/closed_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "polyak/error.hpp"
#include "theory/impulse.hpp"
#include "theory/numerics.hpp"
#include "theory/parameters.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

// For kappa near 1 the heuristic is unbounded; below this kappa it is left out.
constexpr double least_kappa_of_heuristic = 2.0;

std::optional<double> heuristic(const MatrixNumbers& n, const Parameters& p) {
  if (n.kappa() < least_kappa_of_heuristic) return {};
  return heuristic_batch(n.frobenius2, n.lambda_max, n.cols, n.eta, p.alpha, p.beta());
}

// Lemma (thm:HBM_condno): 4/(alpha·√(g(g + lmax − lmin))).
double lemma_condition(const Edges& e) {
  return e.discriminant > 0.0 ? 4.0 / std::sqrt(e.discriminant) : infinity;
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

[[noreturn]] void refuse(std::string what, double found, std::string expected,
                         std::string hint = {}) {
  throw Error(ErrorCode::usage, {.what = std::move(what),
                                 .found = text(found),
                                 .expected = std::move(expected),
                                 .hint = std::move(hint)});
}

double log_2d(const MatrixNumbers& numbers) {
  return std::log(2.0 * static_cast<double>(numbers.cols));
}

}  // namespace

// Paper (eqn:heavyball_bd), for x_{k+1} after k steps.
double heavy_ball_bound(double M, const Parameters& p, Index steps) {
  return std::sqrt(2.0) * M * std::pow(p.root, static_cast<double>(steps));
}

// √beta^k·min{1 + k(1 + √beta), 2√beta(1 + √beta)/√(4·beta − tau²)} (docs/theory,
// 1.3); valid where no eigenvalue of T is real, up to rounding.
double heavy_ball_sharp_bound(const Parameters& p, double lmin, double lmax, Index steps) {
  const Edges e = edges(p, lmin, lmax);
  if (e.discriminant < -1e-12 || p.root >= 1.0) check_admissible(p, lmin, lmax);
  const double k = static_cast<double>(steps);
  double factor = 1.0 + k * (1.0 + p.root);
  if (e.discriminant > 0.0)
    factor = std::min(factor, 2.0 * p.root * (1.0 + p.root) / std::sqrt(e.discriminant));
  return steps == 0 ? 1.0 : factor * std::pow(p.root, k);
}

// k* = exp(u) with u − log u = log √kappa, the root u > 1. The left side is convex and the start
// 2·log √kappa is above the root, so the Newton iterates decrease.
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

double internal::theta_or_default(const MatrixNumbers& numbers, std::optional<double> k_star) {
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

void check(const MatrixNumbers& n) {
  if (!(n.lambda_min > 0.0) || !std::isfinite(n.lambda_min))
    refuse("lambda_min must be positive", n.lambda_min, "a positive number",
           "the theory needs a strongly convex problem; a ridge makes lambda_min positive");
  if (!(n.lambda_max >= n.lambda_min) || !std::isfinite(n.lambda_max))
    refuse("kappa is below 1", n.kappa(), "lambda_max at least lambda_min");
  if (!(n.frobenius2 >= n.lambda_max * (1.0 - 1e-9)) || !std::isfinite(n.frobenius2))
    refuse("the squared Frobenius norm is smaller than lambda_max", n.frobenius2,
           "at least " + text(n.lambda_max));
  if (n.cols < 1) refuse("the matrix has no columns", static_cast<double>(n.cols), "at least 1");
  if (!(n.eta >= 1.0)) refuse("eta is below 1", n.eta, "at least 1");
}

void internal::check_gamma(double gamma) {
  if (!(gamma >= 0.0 && gamma < 1.0)) refuse("gamma is out of range", gamma, "0 <= gamma < 1");
}

bool admissible(const Parameters& p, double lmin, double lmax) {
  return p.root < 1.0 && edges(p, lmin, lmax).discriminant > 0.0;
}

void check_admissible(const Parameters& p, double lmin, double lmax) {
  if (admissible(p, lmin, lmax)) return;
  if (!(p.root >= 0.0 && p.root < 1.0))
    refuse("the momentum is out of range", p.beta(), "0 <= beta < 1");
  const double low = p.gap * p.gap / lmin, high = (2.0 - p.gap) * (2.0 - p.gap) / lmax;
  const double least = heavy_ball_parameters(lmin, lmax).beta();
  if (low >= high)
    refuse("no step size is admissible with this momentum", p.beta(),
           "beta above " + text(least) + ", that is ((sqrt kappa - 1)/(sqrt kappa + 1))^2");
  refuse("the step size is outside the admissible region", p.alpha,
         text(low) + " < alpha < " + text(high) + " at beta = " + text(p.beta()),
         "that is (1 - sqrt beta)^2/lambda_min < alpha < (1 + sqrt beta)^2/lambda_max");
}

Edges internal::edges(const Parameters& p, double lmin, double lmax) {
  const double D = std::min(discriminant(p, lmin), discriminant(p, lmax));
  return {4.0 * p.beta() - D, D};
}

Edges internal::edges_of_gamma(const Parameters& p, double lmin, double lmax, double gamma) {
  const double g = gamma * lmin;
  const double half_width = 0.5 * p.alpha * (lmax - lmin);
  return {half_width * half_width, (p.alpha * g) * (p.alpha * (g + (lmax - lmin)))};
}

double internal::condition_number(const Parameters& p, const Edges& edges) {
  if (edges.discriminant <= 0.0) return infinity;
  const double c = one_minus_beta(p);
  return (1.0 + p.beta() + std::sqrt(c * c + edges.tau2)) / std::sqrt(edges.discriminant);
}

double condition_number(const Parameters& p, double lmin, double lmax) {
  return condition_number(p, edges(p, lmin, lmax));
}

double internal::vector_batch(const MatrixNumbers& numbers, const Parameters& p, const Edges& edges,
                              double r) {
  const double above = ((r - 1.0) + p.gap) * (r + p.root);  // r² − beta
  if (edges.discriminant <= 0.0 || above <= 0.0) return infinity;
  return 4.0 * p.beta() * (p.alpha * numbers.energy()) * (p.alpha * numbers.lambda_max) /
         (edges.discriminant * above);
}

double vector_batch(const MatrixNumbers& numbers, const Parameters& p, double r) {
  return vector_batch(numbers, p, edges(p, numbers.lambda_min, numbers.lambda_max), r);
}

// Paper, lemma (thm:sqnormbd).
double matrix_lemma_batch(const MatrixNumbers& numbers, double delta) {
  const double F2 = numbers.frobenius2;
  return 8.0 * std::numbers::e * numbers.eta * log_2d(numbers) *
         std::max((F2 / delta) * (numbers.lambda_max / delta), 2.0 * F2 / delta);
}

double internal::theorem_batch(const MatrixNumbers& numbers, const Parameters& p, double M,
                               double theta, double factor) {
  if (std::isinf(M) || p.root <= 0.0) return infinity;
  const double f = factor * M * M / (p.beta() * theta);
  const double aF2 = p.alpha * numbers.frobenius2;
  return 16.0 * std::numbers::e * numbers.eta * log_2d(numbers) *
         std::max(aF2 * (p.alpha * numbers.lambda_max) * f, aF2 * std::sqrt(2.0 * f));
}

double heuristic_step(const MatrixNumbers& numbers, double batch, double beta) {
  if (beta <= 0.0) return 0.0;
  const double scale = 16.0 * std::numbers::e * numbers.eta * log_2d(numbers);
  return std::sqrt(batch * beta * -std::log(beta) / scale) /
         (std::sqrt(numbers.frobenius2) * std::sqrt(numbers.lambda_max));
}

}  // namespace polyak::theory
