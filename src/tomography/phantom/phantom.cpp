#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "polyak/tomography_phantom.hpp"
#include "tomography/projectors/rays.hpp"
#include "tomography/streams.hpp"

namespace polyak::tomography {
using namespace polyak::internal;
using namespace polyak::tomography::internal;

namespace {

/// The length in the image of 1 in the coordinates of phantoms.
inline double half_side(const ImageGrid& image) {
  return 0.5 * image.pixel * static_cast<double>(std::min(image.rows, image.cols));
}

/// f(x, y), in the coordinates of phantoms, averaged over finer² points in each pixel.
template <class Value>
std::vector<double> rasterise(const ImageGrid& image, Index finer, Value f) {
  const double step = 2.0 / static_cast<double>(std::min(image.rows, image.cols) * finer);
  const double left = -0.5 * static_cast<double>(image.cols * finer - 1);
  const double top = 0.5 * static_cast<double>(image.rows * finer - 1);
  std::vector<double> out(to_size(image.size()), 0.0);
  for (Index i = 0; i < image.rows * finer; ++i) {
    for (Index j = 0; j < image.cols * finer; ++j) {
      const double x = (left + static_cast<double>(j)) * step;
      const double y = (top - static_cast<double>(i)) * step;
      out[to_size(i / finer * image.cols + j / finer)] += f(x, y);
    }
  }
  for (double& v : out) v /= static_cast<double>(finer * finer);
  return out;
}

// A point in the coordinates of the axes of a shape.
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

// The length of the interval of l in which |p + l·v| ≤ half side, in both coordinates.
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

// Numbers one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed, stream::phantom) {}
  double between(double low, double high) {
    return low + (high - low) * random_.uniform(1u << 20, next_++);
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

// Whether a circle does not meet the circles around the shapes inside the body.
bool is_free(const Phantom& phantom, double x, double y, double radius) {
  const auto apart = [&](const auto& s) {
    return std::hypot(s.x - x, s.y - y) >= radius + std::hypot(s.a, s.b);
  };
  for (std::size_t k = 1; k < phantom.ellipses.size(); ++k)
    if (!apart(phantom.ellipses[k])) return false;
  for (const Rectangle& r : phantom.rectangles)
    if (!apart(r)) return false;
  return true;
}

void try_to_add(Phantom& phantom, Draws& draws) {
  const Ellipse& body = phantom.ellipses.front();
  const double a = std::pow(10.0, draws.between(-1.7, -0.6)), b = a * draws.between(0.3, 1.0);
  const double where = std::sqrt(draws.between(0.0, 1.0)), phi = draws.between(0.0, 6.2832);
  const double radius = std::hypot(a, b);
  const double x = where * (std::min(body.a, body.b) - radius) * std::cos(phi);
  const double y = where * (std::min(body.a, body.b) - radius) * std::sin(phi);
  const double turn = draws.between(0.0, std::numbers::pi), kind = draws.between(0.0, 1.0);
  const double value = kind < 0.2 ? -body.value : body.value * draws.between(-0.6, 1.0);
  const bool bar = draws.between(0.0, 1.0) < 0.3;
  if (!is_free(phantom, x, y, radius)) return;
  if (bar)
    phantom.rectangles.push_back({x, y, a, b, turn, value});
  else
    phantom.ellipses.push_back({x, y, a, b, turn, value});
}

// A periodic function Σ a_m cos(m·phi + shift_m) with random amplitudes of size 1/√m.
class Wave {
 public:
  Wave(const Random& random, std::uint64_t which, int lowest, int highest, double size) {
    for (int m = lowest; m <= highest; ++m) {
      const auto t = static_cast<std::uint64_t>(2 * m);
      terms_.push_back({static_cast<double>(m),
                        size * (2.0 * random.uniform(which, t) - 1.0) / std::sqrt(m),
                        2.0 * std::numbers::pi * random.uniform(which, t + 1)});
    }
  }
  double operator()(double phi) const {
    double sum = 0.0;
    for (const Term& term : terms_) sum += term.size * std::cos(term.order * phi + term.shift);
    return sum;
  }

 private:
  struct Term {
    double order, size, shift;
  };
  std::vector<Term> terms_;
};

double smooth(double from, double to, double v) {
  const double t = std::clamp((v - from) / (to - from), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

class Walnut {
 public:
  explicit Walnut(const Random& random)
      : outer_(random, 0, 2, 9, 0.025),
        inner_(random, 1, 2, 14, 0.020),
        left_(random, 2, 2, 11, 0.055),
        right_(random, 3, 2, 11, 0.055),
        septum_(random, 4, 1, 5, 0.030),
        folds_(random, 5, 5, 16, 0.9) {}

  double operator()(double x, double y) const {
    const double u = x, v = y / 0.9, r = std::hypot(u, v), phi = std::atan2(v, u);
    const double outside = 0.86 + outer_(phi), inside = 0.72 + inner_(phi);
    if (r > outside) return 0.0;
    if (r > inside) return 1.0 - 0.25 * smooth(inside, outside, r);  // the shell
    const double middle = septum_(2.0 * v);
    if (std::abs(u - middle) < 0.018 + 0.03 * r * r) return 0.55;  // the septum
    return u < middle ? lobe(u + 0.34, v, left_) : lobe(u - 0.34, v, right_);
  }

 private:
  // Half of the kernel: a wavy ellipse with darker folds and a cleft inside.
  double lobe(double u, double v, const Wave& wave) const {
    const double r = std::hypot(u / 0.27, v / 0.50), phi = std::atan2(v / 0.50, u / 0.27);
    const double edge = 1.0 + 3.0 * wave(phi) - 0.12 * std::pow(std::sin(4.0 * phi), 6);
    if (r > edge) return 0.05;
    const double cleft = std::abs(u / 0.27 - 0.25 * std::sin(5.0 * v));
    if (cleft < 0.10 && r < 0.7 * edge) return 0.12;
    return 0.62 + 0.06 * folds_(phi + 3.0 * r) * smooth(0.1, 0.6, r);
  }

  Wave outer_, inner_, left_, right_, septum_, folds_;
};

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

Phantom random_shapes(std::uint64_t seed) {
  Draws draws(seed);
  const double a = draws.between(0.55, 0.9), b = draws.between(0.55, 0.9);
  Phantom out{{{0.0, 0.0, a, b, draws.between(0.0, std::numbers::pi), draws.between(0.3, 1.0)}},
              {}};
  for (int k = 0; k < 60; ++k) try_to_add(out, draws);
  return out;
}

std::vector<double> draw_walnut(const ImageGrid& image, std::uint64_t seed, Index finer) {
  const Walnut nut{Random(seed, stream::phantom)};
  return rasterise(image, finer, nut);
}

}  // namespace polyak::tomography
