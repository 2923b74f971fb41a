#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "polyak/tomography_phantom.hpp"
#include "tomography/raster.hpp"
#include "tomography/streams.hpp"

namespace polyak::tomography {
namespace {

// A closed wave: Σ a_m cos(m·phi + shift_m), amplitudes falling as 1/m.
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
  // A kernel half: a wavy ellipse, darker towards its folds, a cleft inside.
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

std::vector<double> draw_walnut(const ImageGrid& image, std::uint64_t seed, Index finer) {
  const Walnut nut{Random(seed, stream::phantom)};
  return rasterise(image, finer, nut);
}

}  // namespace polyak::tomography
