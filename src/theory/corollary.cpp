#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "polyak/error.hpp"
#include "theory/edges.hpp"
#include "theory/search.hpp"

namespace polyak::theory {
namespace {

// The spectrum [1, kappa] with parameters of gamma, and the rate 1 − 1/√kappa
// asked for. Both constants leave out eta·d·kappa_bar·√kappa = ‖A‖_F²·√kappa.
struct Setting {
  double kappa;
  Parameters p;
  Edges e;

  Setting(double k, double gamma)
      : kappa(k), p(heavy_ball_parameters(1.0, k, gamma)), e(edges_of_gamma(p, 1.0, k, gamma)) {}

  double rate() const { return 1.0 - 1.0 / std::sqrt(kappa); }

  // 16e·alpha²M²·lmax/(beta·theta), where √beta·exp(theta) is the rate.
  double theorem() const {
    const double theta = std::log(rate() / p.root), M = condition_number(p, e);
    if (!(theta > 0.0)) return std::numeric_limits<double>::infinity();
    const double aM = p.alpha * M / p.root;
    return 16.0 * std::numbers::e * aM * aM * std::sqrt(kappa) / theta;
  }

  double vector() const {
    const MatrixNumbers unit{1.0, kappa, 1.0, 1, 1.0};
    return vector_batch(unit, p, e, rate()) / std::sqrt(kappa);
  }
};

CorollaryChoice best(double kappa, double (Setting::*constant)() const) {
  if (!(kappa > 1.0))
    throw Error(ErrorCode::usage,
                {.what = "the corollary needs kappa above 1", .found = std::to_string(kappa)});
  const double gamma = golden_section([&](double g) { return (Setting(kappa, g).*constant)(); },
                                      1e-6, 1.0 - 1e-6, 1e-9);
  const Setting at(kappa, gamma);
  return {gamma, condition_number(at.p, at.e), (at.*constant)()};
}

}  // namespace

// Corollary (thm:B_order), corrected (docs/theory, E6): 256e/(c1·c2).
double corollary_constant(double c) {
  if (!(c > 0.0 && c < 2.0))
    throw Error(ErrorCode::usage,
                {.what = "the corollary needs 0 < c < 2", .found = std::to_string(c)});
  return 65536.0 * std::numbers::e / ((2.0 - c) * (2.0 - c) * (14.0 + c));
}

CorollaryChoice best_corollary(double kappa) { return best(kappa, &Setting::theorem); }
CorollaryChoice best_vector_corollary(double kappa) { return best(kappa, &Setting::vector); }

}  // namespace polyak::theory
