#include <cmath>
#include <limits>

#include "theory/edges.hpp"

namespace polyak::theory {

// Theorem (thm:linear_cons_inconsistent):
//   R = alpha·M·(d + 1)/(1 − rate)·(√(2E·log(d + 1))·‖r‖/√B + E·log(d + 1)·sigma/(3B)).
// Its hypothesis is a batch with which that rate is reached: proved from B_vec on.
PaperHorizon paper_horizon(const MatrixNumbers& n, const HeavyBallTheory& theory, double batch,
                           double residual_norm, double sigma) {
  const double d = static_cast<double>(n.cols), E = n.energy(), log_d = std::log(d + 1.0);
  const double rest = 1.0 - theory.rate_theorem;
  const double scale = rest > 0.0 ? theory.parameters.alpha * theory.M / rest
                                  : std::numeric_limits<double>::infinity();
  const double plain = std::sqrt(E / batch) * residual_norm;
  const double bernstein = std::sqrt(2.0 * log_d) * plain + E * log_d * sigma / (3.0 * batch);
  PaperHorizon out;
  out.printed = scale * (d + 1.0) * bernstein;
  out.corrected = scale * (2.0 * d + 1.0) * bernstein;
  out.no_log = scale * (2.0 * d + 1.0) * plain;
  out.applicable = rest > 0.0 && batch >= theory.batch_vector;
  return out;
}

}  // namespace polyak::theory
