#include <cmath>
#include <numbers>
#include <string>

#include "polyak/error.hpp"
#include "polyak/theory.hpp"
#include "theory/closed_forms.hpp"
#include "theory/impulse.hpp"
#include "theory/numerics.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

// The spectrum [1, kappa] with heavy_ball_parameters(1, kappa, gamma) and the required rate
// 1 − 1/√kappa. Both constants are batches divided by eta·d·kappa_bar·√kappa; that of
// the theorem also by log(2d).
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
    if (!(theta > 0.0)) return infinity;
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

// M = (1 + b + √((1 − b)² + t²))/√(4b − t²) of the block at lambda_min, where both ‖C_j‖ and
// ‖C_j⁻¹‖ are largest (docs/theory, E10); there 4b − t² = (1 + beta)²·g(g + lmax − lmin)/L².
struct SmallestBlock {
  double numerator, root;
};

SmallestBlock smallest_block(const MatrixNumbers& n, const Parameters& p, double gamma) {
  const Block at_min = block(Method::nesterov, p, n.lambda_min);
  const double c = 1.0 - at_min.b, g = gamma * n.lambda_min;
  return {
      1.0 + at_min.b + std::sqrt(c * c + at_min.t * at_min.t),
      (1.0 + p.beta()) * std::sqrt(p.alpha * g * p.alpha * (g + (n.lambda_max - n.lambda_min)))};
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

// Theorem (thm:linear_cons_inconsistent):
//   R = alpha·M·(d + 1)/(1 − rate)·(√(2E·log(d + 1))·‖r‖/√B + E·log(d + 1)·sigma/(3B)).
// The hypothesis is that the batch reaches that rate, which is proved for batches of at least
// batch_vector.
PaperHorizon paper_horizon(const MatrixNumbers& n, const HeavyBallTheory& theory, double batch,
                           double residual_norm, double sigma) {
  const double d = static_cast<double>(n.cols), E = n.energy(), log_d = std::log(d + 1.0);
  const double rest = 1.0 - theory.rate_theorem;
  const double scale = rest > 0.0 ? theory.parameters.alpha * theory.M / rest : infinity;
  const double plain = std::sqrt(E / batch) * residual_norm;
  const double bernstein = std::sqrt(2.0 * log_d) * plain + E * log_d * sigma / (3.0 * batch);
  PaperHorizon out;
  out.printed = scale * (d + 1.0) * bernstein;
  out.corrected = scale * (2.0 * d + 1.0) * bernstein;
  out.no_log = scale * (2.0 * d + 1.0) * plain;
  out.applicable = rest > 0.0 && batch >= theory.batch_vector;
  return out;
}

// Theorem (thm:linear_cons_NAG) with gamma > 0, because M is infinite for gamma = 0. The noise
// is multiplied by [1 + beta, −beta], whose squared norm is at most 5.
NesterovTheory nesterov_theory(const MatrixNumbers& n, double gamma, std::optional<double> k_star) {
  check(n);
  check_gamma(gamma);
  NesterovTheory out;
  const Parameters p = nesterov_parameters(n.lambda_min, n.lambda_max, gamma);
  const auto [numerator, root] = smallest_block(n, p, gamma);
  const double g = gamma * n.lambda_min;
  const double s = std::sqrt((n.lambda_max + g) / (n.lambda_min - g));
  const double theta = theta_or_default(n, k_star);
  out.parameters = p;
  out.M = root > 0.0 ? numerator / root : infinity;
  out.M_bound = root > 0.0 ? 4.0 / root : infinity;
  out.rate = 1.0 - 1.0 / s;
  out.rate_factor = s / (s + 1.0);
  out.rate_theorem = out.rate_factor * std::exp(theta);
  out.batch_theorem = theorem_batch(n, p, out.M, theta, 5.0);
  return out;
}

// Paper, table (tab:compare). ARK's printed d·√kappa_bar holds for n = O(d);
// Liu and Wright's own rate is √(n·d·kappa_bar), and with the right nu it is
// √(nu·d·kappa_bar) (docs/theory, E11). With alpha = 1/lambda_max and
// √beta = 1 − 1/√kappa, 2·eta·d·kappa_bar/√kappa rows suffice (4.4).
std::vector<TableRow> iteration_table(const MatrixNumbers& n, Index rows,
                                      std::optional<double> nu) {
  check(n);
  const double d = static_cast<double>(n.cols), root_kappa = std::sqrt(n.kappa());
  const double dk = d * n.kappa_bar(), count = static_cast<double>(rows);
  std::vector<TableRow> out = {{"HBM", root_kappa, count},
                               {"RK", n.eta * dk, 1.0},
                               {"ARK, printed", d * std::sqrt(n.kappa_bar()), 1.0},
                               {"ARK, Liu and Wright", std::sqrt(count * dk), 1.0}};
  if (nu) out.push_back({"ARK, corrected", std::sqrt(*nu * dk), 1.0});
  out.push_back({"Minibatch-HBM, printed", root_kappa, n.eta * std::log(d) * dk * root_kappa});
  out.push_back({"Minibatch-HBM, step 1/lambda_max", root_kappa, 2.0 * n.eta * dk / root_kappa});
  return out;
}

}  // namespace polyak::theory
