#pragma once

// What a ray leaves in the pixels of a step, as functions of where it crosses.

#include <algorithm>
#include <cmath>

#include "polyak/tomography.hpp"

namespace polyak::tomography {

constexpr double negligible = 1e-12;  // shares of a chord that rounding may have made

/// line and linear: in each step the ray's length L in the row is shared by the
/// pixels j = ⌊c⌋ and j + 1, the second getting t·L. With f = c − j and q the
/// ray's slope against the axis it follows:
///   linear: t = f;   line: t = clip((f − (1 − q)/2)/q, 0, 1).
/// For q = 0 the latter is a step, half going up: an edge belongs to the pixel
/// on its right, or below.
struct Share {
  double start, factor;
  double operator()(double f) const { return std::min(1.0, std::max(0.0, (f - start) * factor)); }
};
inline Share share_of(RayModel model, double q) {
  if (model == RayModel::linear) return {0.0, 1.0};
  if (q < negligible) return {0.5 - 1e-9, 1e12};
  return {0.5 * (1.0 - q), 1.0 / q};
}

/// strip: area of the unit pixel at 0 to the left of a line of slope q that
/// crosses the middle of the row at o: trapezoids, integrated. Plateau h between
/// ∓S, zero beyond ∓T.
struct Area {
  double T, S, h, curve;
  explicit Area(double q)
      : T(0.5 * (1.0 + q)),
        S(0.5 * std::abs(1.0 - q)),
        h(std::min(1.0, 1.0 / std::max(q, 1e-300))),
        curve(q < negligible ? 0.0 : 0.5 * h / (T - S)) {}

  double operator()(double o) const {
    if (o <= -T) return 0.0;
    if (o >= T) return 1.0;
    if (o < -S) return curve * (o + T) * (o + T);
    if (o > S) return 1.0 - curve * (T - o) * (T - o);
    return 0.5 + h * o;
  }
};

}  // namespace polyak::tomography
