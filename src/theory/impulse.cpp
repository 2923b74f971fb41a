#include "theory/impulse.hpp"

#include <algorithm>
#include <cmath>

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

// The larger |z| for real roots. For t > 0 it is 1 − w, where w = 2y/(2 − t + √D) is a root of
// w² − (2 − t)w + y = 0 (y = 1 − t + b in both methods).
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

double internal::contraction(Method method, const Parameters& p, std::span<const double> l,
                             double ridge) {
  const auto [low, high] = std::minmax_element(l.begin(), l.end());
  return contraction(method, p, *low + ridge, *high + ridge);
}

Impulse::Impulse(Method method, const Parameters& p, std::span<const double> l, double ridge,
                 double r)
    : method_(method),
      p_(p),
      s_(r * r),
      beta_(p.beta()),
      above_(((r - 1.0) + p.gap) * (r + p.root)),
      below_((r - 1.0) * (r + 1.0)),
      far_(above_ + beta_ * one_minus_beta(p)),
      exists_(r > contraction(method, p, l, ridge)) {
  y_.reserve(l.size());
  for (const double v : l) y_.push_back(p.alpha * (v + ridge));
  // Where r is within rounding of rho(T) a computed denominator may be zero or negative.
  for (Index j = 0; j < size() && exists_; ++j) exists_ = gain(j) > 0.0 && std::isfinite(gain(j));
}

double Impulse::gain(Index i, Index j) const {
  const double y_i = y_[to_size(i)], y_j = y_[to_size(j)];
  const double g =
      method_ == Method::heavy_ball ? heavy_ball_gain(y_i, y_j) : nesterov_gain(y_i, y_j);
  return i == j ? g : std::max(0.0, g);
}

// For complex roots the second form of Q has only positive terms; for real roots the first form
// is more accurate near s = 1.
double Impulse::quadratic(double y) const {
  const double x2 = p_.gap * p_.gap;
  const double margin = (4.0 - y) - 2.0 * p_.gap * (2.0 - p_.gap);  // 2(1 + beta) − y
  const double D = (y - x2) * (margin - x2);
  if (D >= 0.0) return above_ * above_ + s_ * D;
  return below_ * far_ + s_ * y * margin;
}

double Impulse::heavy_ball_gain(double y_i, double y_j) const {
  const double dy = y_i - y_j, mean = 0.5 * (y_i + y_j);
  if (dy == 0.0) return s_ * (s_ + beta_) / (above_ * quadratic(mean));
  const double inner = quadratic(mean) + 0.25 * s_ * dy * dy;
  return s_ * above_ * (s_ + beta_) / (above_ * above_ * inner + beta_ * s_ * s_ * dy * dy);
}

double Impulse::nesterov_quadratic(double y_i, double y_j) const {
  const double product = y_i * y_j;
  return below_ * far_ + (y_i + y_j - product) * (s_ * (1.0 + beta_) + beta_ * beta_ * below_) -
         s_ * beta_ * product;
}

double Impulse::nesterov_gain(double y_i, double y_j) const {
  const double dy = y_i - y_j, e = 1.0 + beta_;
  const double u_i = above_ + beta_ * y_i, u_j = above_ + beta_ * y_j, u = u_i * u_j;
  const double s2_minus_b2 = s_ * (u_i + u_j) - u;
  return (s_ * e * e * u + beta_ * beta_ * s2_minus_b2) /
         (s_ * s_ * beta_ * beta_ * dy * dy + u * nesterov_quadratic(y_i, y_j));
}

// (NAG) S_j = s(s + b)/((s − b)·R).
double Impulse::error_gain(Index j) const {
  if (method_ == Method::heavy_ball) return gain(j);
  const double y = y_[to_size(j)], b = beta_ * (1.0 - y);
  return s_ * (s_ + b) / ((above_ + beta_ * y) * nesterov_quadratic(y, y));
}

// Gam_j(1 − 2b·t/(s + b) + b²/s) = ((s − b)(s − b²) + 2b·s·y)/((s − b)Q).
double Impulse::start_gain(Index j) const {
  const double y = y_[to_size(j)];
  return (above_ * far_ + 2.0 * beta_ * s_ * y) / (above_ * quadratic(y));
}

Block internal::block(Method method, const Parameters& p, double l) {
  const double beta = p.beta(), y = p.alpha * l;
  if (method == Method::heavy_ball) return {1.0 + beta - y, beta};
  return {(1.0 + beta) * (1.0 - y), beta * (1.0 - y)};
}

GradientPoint internal::gradient_point(Method method, const Parameters& p) {
  if (method == Method::heavy_ball) return {1.0, 0.0};
  return {1.0 + p.beta(), p.beta()};
}

double internal::block_radius(Method method, const Parameters& p, double l) {
  return method == Method::heavy_ball ? heavy_ball_radius(p, l) : nesterov_radius(p, l);
}

double internal::discriminant(const Parameters& p, double l) {
  const double x = p.gap;
  return std::fma(p.alpha, l, -x * x) * (stability_margin(p, l) - x * x);
}

double internal::log_inverse_beta(const Parameters& p) {
  return p.gap < 0.5 ? -2.0 * std::log1p(-p.gap) : -2.0 * std::log(p.root);
}

double internal::stability_margin(const Parameters& p, double l) {
  return std::fma(-p.alpha, l, 4.0) - 2.0 * p.gap * (2.0 - p.gap);
}

}  // namespace polyak::theory
