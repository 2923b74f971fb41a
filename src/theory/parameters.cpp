#include "theory/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "theory/impulse.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

struct Roots {
  double small, large;  // √l and √L
};

Roots widened(double lmin, double lmax, double gamma) {
  const double g = gamma * lmin;
  return {std::sqrt(lmin - g), std::sqrt(lmax + g)};
}

}  // namespace

Parameters Parameters::of(double alpha, double beta) {
  const double root = std::sqrt(beta);
  return {alpha, root, (1.0 - beta) / (1.0 + root)};
}

// Paper (eq:params_alpha), with 1 − √beta = 2√l/(√L + √l).
Parameters heavy_ball_parameters(double lmin, double lmax, double gamma) {
  const auto [l, L] = widened(lmin, lmax, gamma);
  return {4.0 / ((L + l) * (L + l)), (L - l) / (L + l), 2.0 * l / (L + l)};
}

// Paper, appendix A, with 1 − √beta = (1 − beta)/(1 + √beta).
Parameters nesterov_parameters(double lmin, double lmax, double gamma) {
  const auto [l, L] = widened(lmin, lmax, gamma);
  const double root = std::sqrt((L - l) / (L + l));
  return {1.0 / (L * L), root, 2.0 * l / (L + l) / (1.0 + root)};
}

StepAndMomentum internal::heavy_ball(double lmin, double lmax, double gamma) {
  const Parameters p = heavy_ball_parameters(lmin, lmax, gamma);
  return {p.alpha, p.beta()};
}

StepAndMomentum internal::nesterov(double lmin, double lmax, double gamma) {
  const auto [l, L] = widened(lmin, lmax, gamma);
  return {1.0 / (L * L), (L - l) / (L + l)};
}

double internal::gradient_descent_step(double lmin, double lmax) { return 2.0 / (lmin + lmax); }

double internal::minibatch_sgd_step(double lmax, double frobenius2, double eta, double batch) {
  return 1.0 / (lmax * (1.0 - 1.0 / batch) + eta * frobenius2 / batch);
}

// Along the spectrum the radius of a block first decreases and then increases, so the largest is
// at an end.
double contraction(Method method, const Parameters& p, double lmin, double lmax) {
  return std::max(block_radius(method, p, lmin), block_radius(method, p, lmax));
}

double internal::heavy_ball_rate(double alpha, double beta, double lmin, double lmax) {
  return contraction(Method::heavy_ball, Parameters::of(alpha, beta), lmin, lmax);
}

double internal::nesterov_rate(double alpha, double beta, double lmin, double lmax) {
  return contraction(Method::nesterov, Parameters::of(alpha, beta), lmin, lmax);
}

double internal::heuristic_batch(double frobenius2, double lmax, Index d, double eta, double alpha,
                                 double beta) {
  if (beta <= 0.0) return std::numeric_limits<double>::infinity();
  return 16.0 * std::numbers::e * eta * std::log(2.0 * static_cast<double>(d)) *
         (alpha * frobenius2) * (alpha * lmax) / (beta * -std::log(beta));
}

}  // namespace polyak::theory
