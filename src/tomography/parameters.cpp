#include <cmath>
#include <numbers>

#include "polyak/tomography_reconstruct.hpp"

namespace polyak::tomography {
namespace {

// B* = constant·alpha²/(beta·log(1/beta)).
double constant(double frobenius2, double lambda_max, Index d) {
  return 16.0 * std::numbers::e * frobenius2 * lambda_max * std::log(2.0 * static_cast<double>(d));
}

}  // namespace

double batch_for(double step, double momentum, double frobenius2, double lambda_max, Index d) {
  return constant(frobenius2, lambda_max, d) * step * step / (momentum * -std::log(momentum));
}

double step_for(double b_star, double momentum, double frobenius2, double lambda_max, Index d) {
  return std::sqrt(b_star * momentum * -std::log(momentum) / constant(frobenius2, lambda_max, d));
}

double kappa_covered(double step, double momentum, double lambda_max) {
  const double gap = 1.0 - std::sqrt(momentum);
  return step * lambda_max / (gap * gap);
}

}  // namespace polyak::tomography
