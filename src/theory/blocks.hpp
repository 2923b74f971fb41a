#pragma once

// T is block diagonal in the eigenbasis of H = AᵀA: for an eigenvalue l, with
// y = alpha·l and x = 1 − √beta,
//   e₊ = t·e − b·e₋,   (HBM) t = 1 + beta − y,           b = beta
//                      (NAG) t = (1 + beta)(1 − y),      b = beta(1 − y),
// and the gradient is taken at the point  now·e − before·e₋:
//   (HBM) now = 1, before = 0;   (NAG) now = 1 + beta, before = beta.

#include "polyak/theory.hpp"

namespace polyak::theory {

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

}  // namespace polyak::theory
