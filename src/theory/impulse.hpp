#pragma once

// The iteration matrix T of the methods, and their response to the noise of one step.
//
// T is block diagonal in the eigenbasis of H = AᵀA: for an eigenvalue l, with
// y = alpha·l and x = 1 − √beta,
//   e₊ = t·e − b·e₋,   (HBM) t = 1 + beta − y,           b = beta
//                      (NAG) t = (1 + beta)(1 − y),      b = beta(1 − y),
// and the gradient is evaluated at the point  now·e − before·e₋:
//   (HBM) now = 1, before = 0;   (NAG) now = 1 + beta, before = beta.

#include <span>
#include <vector>

#include "polyak/theory.hpp"

namespace polyak::theory::internal {

struct Block {
  double t, b;
};
Block block(Method method, const Parameters& p, double l);

struct GradientPoint {
  double now, before;
};
GradientPoint gradient_point(Method method, const Parameters& p);

/// The larger |z| of z² − t·z + b = 0.
double block_radius(Method method, const Parameters& p, double l);

/// 4·beta − t² of (HBM) = (y − x²)((2 − x)² − y), without cancellation: positive
/// where the roots are complex.
double discriminant(const Parameters& p, double l);

/// 1 − beta = x(2 − x).
inline double one_minus_beta(const Parameters& p) { return p.gap * (2.0 - p.gap); }
/// log(1/beta).
double log_inverse_beta(const Parameters& p);
/// 2(1 + beta) − y = (4 − y) − 4x + 2x², positive where (HBM) is stable.
double stability_margin(const Parameters& p, double l);

}  // namespace polyak::theory::internal

namespace polyak::theory {

/// The impulse response of the methods: the effect of the noise of one step on later steps. With
/// g_m the error m steps after a unit error, h_m = now·g_m − before·g_{m−1} the same for the point
/// at which the gradient is evaluated (see GradientPoint), s = r² and u = s − b,
///   Gam_ij = Σ_m s^−(m+1) h_m(l_i)·h_m(l_j),   S_j = Σ_m s^−(m+1) g_m(l_j)².
/// (docs/theory, 4.2 and 4.3.) Written without cancellation, with y = alpha·l, dy = y_i − y_j and,
/// for (HBM), y_m the mean of y_i and y_j:
///   (HBM) Gam_ij = s·u·(s + b)/(u²(Q(y_m) + s·dy²/4) + b·s²·dy²)
///         Q(y) = (s − 1)(s − b²) + s·y(2(1 + b) − y) = u² + s(4b − t²)
///   (NAG) Gam_ij = (s(1 + beta)²·u_i·u_j + beta²(s² − b_i·b_j))
///                  / (s²·beta²·dy² + u_i·u_j·R)
///         R = (s − 1)(s − beta²) + (y_i + y_j − y_i·y_j)(s(1 + beta) − beta²(1 − s))
///             − s·beta·y_i·y_j
class Impulse {
 public:
  /// For the blocks of the eigenvalues l_j + ridge.
  Impulse(Method method, const Parameters& p, std::span<const double> l, double ridge, double r);

  /// True if the sums converge, r > rho(T). Otherwise the gains are undefined.
  bool exists() const { return exists_; }
  Index size() const { return static_cast<Index>(y_.size()); }

  double gain(Index i, Index j) const;               ///< Gam_ij
  double gain(Index j) const { return gain(j, j); }  ///< Gam_j
  double error_gain(Index j) const;                  ///< S_j; Gam_j for (HBM)
  /// Σ_m s^−(m+1) e_m² of (HBM) started from rest at e_0 = 1.
  double start_gain(Index j) const;
  double r2() const { return s_; }

 private:
  double heavy_ball_gain(double y_i, double y_j) const;
  double nesterov_gain(double y_i, double y_j) const;
  double quadratic(double y) const;                         // Q
  double nesterov_quadratic(double y_i, double y_j) const;  // R

  Method method_;
  Parameters p_;
  std::vector<double> y_;
  double s_, beta_;
  double above_;  // s − beta
  double below_;  // s − 1
  double far_;    // s − beta²
  bool exists_ = true;
};

}  // namespace polyak::theory

namespace polyak::theory::internal {

/// rho(T) for these eigenvalues.
double contraction(Method method, const Parameters& p, std::span<const double> l, double ridge);

}  // namespace polyak::theory::internal
