#include "theory/blocks.hpp"

#include <algorithm>
#include <cmath>

namespace polyak::theory {
namespace {

// The larger |z| of real roots. With t > 0 it is 1 − w, where w = 2y/(2 − t + √D)
// solves w² − (2 − t)w + y = 0 (y = 1 − t + b in both methods).
double real_radius(double t, double two_minus_t, double y, double D) {
  if (t < 0.0) return 0.5 * (std::sqrt(D) - t);
  if (y == 0.0) return 1.0;
  return 1.0 - 2.0 * y / (two_minus_t + std::sqrt(D));
}

double heavy_ball_radius(const Parameters& p, double l) {
  const double D = -discriminant(p, l), y = p.alpha * l;
  if (D <= 0.0) return p.root;
  return real_radius(1.0 + p.beta() - y, one_minus_beta(p) + y, y, D);
}

// t² − 4b = (1 − y)((1 − beta)² − (1 + beta)² y).
double nesterov_radius(const Parameters& p, double l) {
  const double y = p.alpha * l, rest = 1.0 - y, beta = p.beta();
  const double c = one_minus_beta(p), e = 1.0 + beta;
  const double D = rest * (c * c - e * e * y);
  if (D <= 0.0) return std::sqrt(std::abs(beta * rest));
  return real_radius(e * rest, c + e * y, y, D);
}

}  // namespace

Block block(Method method, const Parameters& p, double l) {
  const double beta = p.beta(), y = p.alpha * l;
  if (method == Method::heavy_ball) return {1.0 + beta - y, beta};
  return {(1.0 + beta) * (1.0 - y), beta * (1.0 - y)};
}

GradientPoint gradient_point(Method method, const Parameters& p) {
  if (method == Method::heavy_ball) return {1.0, 0.0};
  return {1.0 + p.beta(), p.beta()};
}

double block_radius(Method method, const Parameters& p, double l) {
  return method == Method::heavy_ball ? heavy_ball_radius(p, l) : nesterov_radius(p, l);
}

double discriminant(const Parameters& p, double l) {
  const double x = p.gap;
  return std::fma(p.alpha, l, -x * x) * (stability_margin(p, l) - x * x);
}

double log_inverse_beta(const Parameters& p) {
  return p.gap < 0.5 ? -2.0 * std::log1p(-p.gap) : -2.0 * std::log(p.root);
}

double stability_margin(const Parameters& p, double l) {
  return std::fma(-p.alpha, l, 4.0) - 2.0 * p.gap * (2.0 - p.gap);
}

}  // namespace polyak::theory
