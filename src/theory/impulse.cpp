#include "theory/impulse.hpp"

#include <algorithm>
#include <cmath>

#include "theory/blocks.hpp"

namespace polyak::theory {

double contraction(Method method, const Parameters& p, std::span<const double> l, double ridge) {
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
  // Within a rounding of rho(T) a denominator may come out wrong.
  for (Index j = 0; j < size() && exists_; ++j) exists_ = gain(j) > 0.0 && std::isfinite(gain(j));
}

double Impulse::gain(Index i, Index j) const {
  const double y_i = y_[to_size(i)], y_j = y_[to_size(j)];
  const double g =
      method_ == Method::heavy_ball ? heavy_ball_gain(y_i, y_j) : nesterov_gain(y_i, y_j);
  return i == j ? g : std::max(0.0, g);
}

// With real roots the first form of Q is the better one near s = 1, otherwise
// the second has only positive terms.
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

}  // namespace polyak::theory
