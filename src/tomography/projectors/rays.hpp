#pragma once

// Rays as lines in the plane, and as they run through the grid of pixels.
//
// A ray is followed along the axis it is steeper to: one step per image row
// when |dx| < |dy|, else one per image column. In step k it crosses the middle
// of that row (column) at c = c0 + k·slope, in pixels, pixel j having its
// centre at c = j.
//
// What a ray leaves in the pixels of a step, as functions of where it crosses.

#include <algorithm>
#include <cmath>

#include "polyak/tomography.hpp"

namespace polyak::tomography {

struct Point {
  double x, y;
};

/// Through `at` along the unit vector `along`.
struct Line {
  Point at;
  Point along;
};

/// Point of the detector: `where` counts elements, element k having its centre
/// at k + ½, so that k and k + 1 are the edges of element k.
Line ray(const Geometry& geometry, Index view, double where);
inline Line ray(const Geometry& geometry, Index r) {
  return ray(geometry, r / geometry.detectors, static_cast<double>(r % geometry.detectors) + 0.5);
}

inline bool by_rows(const Line& line) { return std::abs(line.along.x) < std::abs(line.along.y); }

/// c0 and slope of a line that is followed along rows, or columns.
struct Crossing {
  double c0, slope;
};
inline Crossing crossing(const Line& line, const ImageGrid& image, bool rows) {
  const double middle_row = 0.5 * static_cast<double>(image.rows - 1);
  const double middle_col = 0.5 * static_cast<double>(image.cols - 1);
  const double px = line.at.x / image.pixel, py = line.at.y / image.pixel;
  if (rows) {
    const double slope = line.along.x / line.along.y;
    return {px + (middle_row - py) * slope + middle_col, -slope};
  }
  const double slope = line.along.y / line.along.x;
  return {middle_row - py + (middle_col + px) * slope, -slope};
}

/// How steps and crossings become columns of the matrix.
struct Path {
  Index steps, across;        // how many there are of each
  Index step_stride, stride;  // what one more of each adds to the column
  Path(const ImageGrid& image, bool rows)
      : steps(rows ? image.rows : image.cols),
        across(rows ? image.cols : image.rows),
        step_stride(rows ? image.cols : 1),
        stride(rows ? 1 : image.cols) {}
};

/// The steps [first, last) in which lowest < c < highest; one more on each side
/// may be in it for rounding.
struct Steps {
  Index first, last;
};
inline Steps steps_within(const Crossing& c, Index steps, double lowest, double highest) {
  const double n = static_cast<double>(steps);
  double from = 0.0, to = n;
  if (std::abs(c.slope) > 1e-14) {
    const double a = (lowest - c.c0) / c.slope, b = (highest - c.c0) / c.slope;
    from = std::min(a, b) - 1e-6, to = std::max(a, b) + 1e-6;
  } else if (c.c0 <= lowest - 1e-6 || c.c0 >= highest + 1e-6) {
    return {0, 0};
  }
  const Index first = static_cast<Index>(std::ceil(std::min(std::max(from, 0.0), n)));
  const Index last = static_cast<Index>(std::floor(std::max(std::min(to, n - 1.0), -1.0))) + 1;
  return {first, std::max(first, last)};
}

/// The steps in which the pixels ⌊c⌋ and ⌊c⌋ + 1 of the ray are both inside the
/// image beyond any doubt: what rounding and the tolerances above can do to c is
/// left at the edges. No step is in it where first ≥ last.
inline Steps steps_inside(const Crossing& c, Index steps, double across) {
  constexpr double margin = 1e-5;
  return steps_within(c, steps, margin, across - 1.0 - margin);
}

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
