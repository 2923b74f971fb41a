#include "theory/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace polyak::theory {
namespace {

struct Roots {
  double small, large;  // √l and √L
};

Roots widened(double lmin, double lmax, double gamma) {
  const double g = gamma * lmin;
  return {std::sqrt(lmin - g), std::sqrt(lmax + g)};
}

// The larger |z| of z² − t·z + b = 0.
double larger_root(double t, double b) {
  const double discriminant = t * t - 4.0 * b;
  if (discriminant < 0.0) return std::sqrt(b);
  return 0.5 * (std::abs(t) + std::sqrt(discriminant));
}

}  // namespace

StepAndMomentum heavy_ball(double lmin, double lmax, double gamma) {
  const auto [l, L] = widened(lmin, lmax, gamma);
  const double root_beta = (L - l) / (L + l);
  return {4.0 / ((L + l) * (L + l)), root_beta * root_beta};
}

StepAndMomentum nesterov(double lmin, double lmax, double gamma) {
  const auto [l, L] = widened(lmin, lmax, gamma);
  return {1.0 / (L * L), (L - l) / (L + l)};
}

double gradient_descent_step(double lmin, double lmax) { return 2.0 / (lmin + lmax); }

double minibatch_sgd_step(double lmax, double frobenius2, double eta, double batch) {
  return 1.0 / (lmax * (1.0 - 1.0 / batch) + eta * frobenius2 / batch);
}

double heavy_ball_rate(double alpha, double beta, double lmin, double lmax) {
  return std::max(larger_root(1.0 + beta - alpha * lmin, beta),
                  larger_root(1.0 + beta - alpha * lmax, beta));
}

double nesterov_rate(double alpha, double beta, double lmin, double lmax) {
  const auto radius = [&](double l) {
    const double rest = 1.0 - alpha * l;
    return larger_root((1.0 + beta) * rest, beta * rest);
  };
  return std::max(radius(lmin), radius(lmax));
}

double heuristic_batch(double frobenius2, double lmax, Index d, double eta, double alpha,
                       double beta) {
  if (beta <= 0.0) return std::numeric_limits<double>::infinity();
  return 16.0 * std::numbers::e * eta * frobenius2 * lmax *
         std::log(2.0 * static_cast<double>(d)) * alpha * alpha / (beta * -std::log(beta));
}

}  // namespace polyak::theory
