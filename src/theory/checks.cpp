#include <cmath>
#include <cstdio>
#include <string>

#include "polyak/error.hpp"
#include "theory/blocks.hpp"
#include "theory/edges.hpp"

namespace polyak::theory {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

[[noreturn]] void refuse(std::string what, double found, std::string expected,
                         std::string hint = {}) {
  throw Error(ErrorCode::usage, {.what = std::move(what),
                                 .found = text(found),
                                 .expected = std::move(expected),
                                 .hint = std::move(hint)});
}

}  // namespace

void check(const MatrixNumbers& n) {
  if (!(n.lambda_min > 0.0) || !std::isfinite(n.lambda_min))
    refuse("lambda_min must be positive", n.lambda_min, "a positive number",
           "without it the strongly convex theory does not apply; a ridge gives one");
  if (!(n.lambda_max >= n.lambda_min) || !std::isfinite(n.lambda_max))
    refuse("kappa is below 1", n.kappa(), "lambda_max at least lambda_min");
  if (!(n.frobenius2 >= n.lambda_max * (1.0 - 1e-9)) || !std::isfinite(n.frobenius2))
    refuse("the squared Frobenius norm is smaller than lambda_max", n.frobenius2,
           "at least " + text(n.lambda_max));
  if (n.cols < 1) refuse("a matrix has columns", static_cast<double>(n.cols), "at least 1");
  if (!(n.eta >= 1.0)) refuse("eta is below 1", n.eta, "at least 1");
}

void check_gamma(double gamma) {
  if (!(gamma >= 0.0 && gamma < 1.0))
    refuse("gamma is a fraction of lambda_min", gamma, "0 <= gamma < 1");
}

bool admissible(const Parameters& p, double lmin, double lmax) {
  return p.root < 1.0 && edges(p, lmin, lmax).discriminant > 0.0;
}

void check_admissible(const Parameters& p, double lmin, double lmax) {
  if (admissible(p, lmin, lmax)) return;
  if (!(p.root >= 0.0 && p.root < 1.0)) refuse("the momentum", p.beta(), "0 <= beta < 1");
  const double low = p.gap * p.gap / lmin, high = (2.0 - p.gap) * (2.0 - p.gap) / lmax;
  const double least = heavy_ball_parameters(lmin, lmax).beta();
  if (low >= high)
    refuse("no step size is admissible with this momentum", p.beta(),
           "beta above " + text(least) + ", that is ((sqrt kappa - 1)/(sqrt kappa + 1))^2");
  refuse("the step size is outside the admissible region", p.alpha,
         text(low) + " < alpha < " + text(high) + " at beta = " + text(p.beta()),
         "that is (1 - sqrt beta)^2/lambda_min < alpha < (1 + sqrt beta)^2/lambda_max");
}

}  // namespace polyak::theory
