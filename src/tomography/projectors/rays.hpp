#pragma once

// Rays as lines in the plane, their path through the grid of pixels, and their weights in the
// pixels of a step.
//
// A ray is followed by image rows if |dx| < |dy|, else by image columns, one step per row
// (column). In step k it crosses the middle of that row (column) at c = c0 + k·slope, in pixels;
// the centre of pixel j is at c = j.

#include <algorithm>
#include <cmath>

#include "polyak/tomography.hpp"

namespace polyak::tomography::internal {

struct Point {
  double x, y;
};

/// The line through `at` in the direction of the unit vector `along`.
struct Line {
  Point at;
  Point along;
};

/// The ray to a point of the detector; `where` is in elements: the edges of element k are k and
/// k + 1, its centre is k + ½.
Line ray(const Geometry& geometry, Index view, double where);
inline Line ray(const Geometry& geometry, Index r) {
  return ray(geometry, r / geometry.detectors, static_cast<double>(r % geometry.detectors) + 0.5);
}

inline bool by_rows(const Line& line) { return std::abs(line.along.x) < std::abs(line.along.y); }

/// c0 and slope of a line that is followed by rows, or by columns.
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
  Index steps, across;        // number of steps, and of pixels in a step
  Index step_stride, stride;  // distance of neighbours along and across, in columns of the matrix
  Path(const ImageGrid& image, bool rows)
      : steps(rows ? image.rows : image.cols),
        across(rows ? image.cols : image.rows),
        step_stride(rows ? image.cols : 1),
        stride(rows ? 1 : image.cols) {}
};

/// The steps [first, last) in which lowest < c < highest; because of rounding one more on each
/// side may be included.
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

/// The steps in which the pixels ⌊c⌋ and ⌊c⌋ + 1 of the ray are both inside the image, with a
/// margin for rounding and for the tolerances above. Empty if first ≥ last.
inline Steps steps_inside(const Crossing& c, Index steps, double across) {
  constexpr double margin = 1e-5;
  return steps_within(c, steps, margin, across - 1.0 - margin);
}

constexpr double negligible = 1e-12;  // smaller weights are rounding errors

/// line and linear: in each step the length L of the ray in the row is divided between the
/// pixels j = ⌊c⌋ and j + 1; the second gets t·L. With f = c − j and q the absolute slope of the
/// ray:
///   linear: t = f;   line: t = clip((f − (1 − q)/2)/q, 0, 1).
/// For q = 0 the latter is a step function: a ray along an edge of pixels counts for the pixel on
/// its right, or below.
struct Share {
  double start, factor;
  double operator()(double f) const { return std::min(1.0, std::max(0.0, (f - start) * factor)); }
};
inline Share share_of(RayModel model, double q) {
  if (model == RayModel::linear) return {0.0, 1.0};
  if (q < negligible) return {0.5 - 1e-9, 1e12};
  return {0.5 * (1.0 - q), 1.0 / q};
}

/// strip: the area of the unit pixel at 0 to the left of a line of slope q that crosses the middle
/// of the row at o. It is the integral of a trapezoid of height h between ∓S and zero beyond ∓T.
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

}  // namespace polyak::tomography::internal
