#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "polyak/tomography_phantom.hpp"
#include "tomography/streams.hpp"

namespace polyak::tomography {
namespace {

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

// Round the circle around a shape there must be no other's.
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

}  // namespace

Phantom random_shapes(std::uint64_t seed) {
  Draws draws(seed);
  const double a = draws.between(0.55, 0.9), b = draws.between(0.55, 0.9);
  Phantom out{{{0.0, 0.0, a, b, draws.between(0.0, std::numbers::pi), draws.between(0.3, 1.0)}},
              {}};
  for (int k = 0; k < 60; ++k) try_to_add(out, draws);
  return out;
}

}  // namespace polyak::tomography
