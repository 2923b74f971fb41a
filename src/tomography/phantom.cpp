#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "polyak/tomography_phantom.hpp"
#include "tomography/raster.hpp"
#include "tomography/rays.hpp"

namespace polyak::tomography {
namespace {

// Coordinates of a shape's own axes.
template <class Shape>
Point inside(const Shape& s, double x, double y) {
  const double c = std::cos(s.turn), n = std::sin(s.turn);
  return {(x - s.x) * c + (y - s.y) * n, (y - s.y) * c - (x - s.x) * n};
}

double value_at(const Phantom& phantom, double x, double y) {
  double sum = 0.0;
  for (const Ellipse& e : phantom.ellipses) {
    const Point p = inside(e, x, y);
    if (p.x * p.x / (e.a * e.a) + p.y * p.y / (e.b * e.b) <= 1.0) sum += e.value;
  }
  for (const Rectangle& r : phantom.rectangles) {
    const Point p = inside(r, x, y);
    if (std::abs(p.x) <= r.a && std::abs(p.y) <= r.b) sum += r.value;
  }
  return sum;
}

// Scaled to the unit circle the line is (p + l·v)/axes; the chord's half length
// in l follows from its distance to the centre.
double chord(const Ellipse& e, const Line& line) {
  const Point p = inside(e, line.at.x, line.at.y);
  const Point v = inside(Ellipse{0, 0, 1, 1, e.turn, 0}, line.along.x, line.along.y);
  const double px = p.x / e.a, py = p.y / e.b, vx = v.x / e.a, vy = v.y / e.b;
  const double v2 = vx * vx + vy * vy, cross = px * vy - py * vx;
  const double inside2 = v2 - cross * cross;
  return inside2 > 0.0 ? 2.0 * std::sqrt(inside2) / v2 : 0.0;
}

// The part of l for which |p + l·v| ≤ a, in both coordinates.
double chord(const Rectangle& r, const Line& line) {
  const Point p = inside(r, line.at.x, line.at.y);
  const Point v = inside(Rectangle{0, 0, 1, 1, r.turn, 0}, line.along.x, line.along.y);
  double from = -1e300, to = 1e300;
  for (const auto& [at, along, half] : {std::array{p.x, v.x, r.a}, std::array{p.y, v.y, r.b}}) {
    if (std::abs(along) < 1e-15) {
      if (std::abs(at) > half) return 0.0;
      continue;
    }
    const double a = (-half - at) / along, b = (half - at) / along;
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return std::max(0.0, to - from);
}

}  // namespace

Phantom shepp_logan() {
  const auto deg = [](double d) { return d * std::numbers::pi / 180.0; };
  return {{{0, 0, .69, .92, 0, 1},
           {0, -.0184, .6624, .874, 0, -.8},
           {.22, 0, .11, .31, deg(-18), -.2},
           {-.22, 0, .16, .41, deg(18), -.2},
           {0, .35, .21, .25, 0, .1},
           {0, .1, .046, .046, 0, .1},
           {0, -.1, .046, .046, 0, .1},
           {-.08, -.605, .046, .023, 0, .1},
           {0, -.606, .023, .023, 0, .1},
           {.06, -.605, .023, .046, 0, .1}},
          {}};
}

Phantom disc() { return {{{0, 0, .7, .7, 0, 1}}, {}}; }

Phantom rectangle() { return {{}, {{.05, -.1, .6, .4, .3, 1}}}; }

std::vector<double> draw(const Phantom& phantom, const ImageGrid& image, Index finer) {
  return rasterise(image, finer, [&](double x, double y) { return value_at(phantom, x, y); });
}

std::vector<double> exact_projections(const Phantom& phantom, const Geometry& geometry) {
  check(geometry);
  const double unit = half_side(geometry.image);
  std::vector<double> out(to_size(geometry.rays()), 0.0);
  for (Index r = 0; r < geometry.rays(); ++r) {
    Line line = ray(geometry, r);
    line.at = {line.at.x / unit, line.at.y / unit};
    double sum = 0.0;
    for (const Ellipse& e : phantom.ellipses) sum += e.value * chord(e, line);
    for (const Rectangle& s : phantom.rectangles) sum += s.value * chord(s, line);
    out[to_size(r)] = unit * sum;
  }
  return out;
}

}  // namespace polyak::tomography
