#include "solve/report/distributions.hpp"

#include <cmath>
#include <limits>

#include "polyak/statistics.hpp"

namespace polyak {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// ln Γ(a) − [(a − ½)ln a − a + ½ln 2π], the rest of Stirling's series. From a = 15 on the first
// seven terms are exact to rounding.
double stirling_rest(double a) {
  if (a < 15.0) return std::lgamma(a) - ((a - 0.5) * std::log(a) - a + 0.5 * std::log(2.0 * M_PI));
  const double s = 1.0 / (a * a);
  constexpr double terms[] = {1.0 / 12.0,   -1.0 / 360.0,      1.0 / 1260.0, -1.0 / 1680.0,
                              1.0 / 1188.0, -691.0 / 360360.0, 1.0 / 156.0};
  double sum = 0.0;
  for (int k = 6; k >= 0; --k) sum = sum * s + terms[k];
  return sum / a;
}

// ln B(a, b), a ≥ b, without the difference of ln Γ(a) and ln Γ(a + b), which may be large.
double log_beta(double a, double b) {
  const double ratio = (a - 0.5) * std::log1p(b / a) + b * std::log(a + b) - b +
                       stirling_rest(a + b) - stirling_rest(a);  // ln Γ(a + b)/Γ(a)
  return std::lgamma(b) - ratio;
}

// I_x(a, b)·B(a, b)/(x^a·y^b) is 1/(β_0 + α_1/(β_1 + α_2/(β_2 + …))), the even part of the fraction
// in DLMF 8.17.22, in which a·y − b·x is not lost to the rounding of an x near 1. By Lentz's
// method; it converges fast for x < (a + 1)/(a + b + 2).
double fraction(double a, double b, double x, double y) {
  constexpr double tiny = 1e-300;
  constexpr int most = 100000;  // about √max(a, b) are needed
  const auto bounded = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  const auto beta = [&](double m) {
    return m + m * (b - m) * x / (a + 2.0 * m - 1.0) +
           (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (a + 2.0 * m + 1.0);
  };
  double out = bounded(a * (a * y - b * x + 1.0) / (a + 1.0)), c = out, d = 0.0;
  for (int m = 1; m < most; ++m) {
    const double length = a + 2.0 * m - 1.0;
    const double alpha =
        (a + m - 1.0) / length * ((a + b + m - 1.0) / length) * m * (b - m) * x * x;
    d = 1.0 / bounded(beta(m) + alpha * d);
    c = bounded(beta(m) + alpha / c);
    out *= c * d;
    if (std::abs(c * d - 1.0) < epsilon) break;
  }
  return 1.0 / out;
}

}  // namespace

double incomplete_beta(double a, double b, double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - incomplete_beta(b, a, y, x);
  // ln of a number near 1 by its distance from 1.
  const double log_x = x > 0.5 ? std::log1p(-y) : std::log(x);
  const double log_y = y > 0.5 ? std::log1p(-x) : std::log(y);
  const double beta = a >= b ? log_beta(a, b) : log_beta(b, a);
  return std::exp(a * log_x + b * log_y - beta) * fraction(a, b, x, y);
}

double student_two_sided(double t, double degrees_of_freedom) {
  const double nu = degrees_of_freedom, t2 = t * t;
  if (std::isinf(t2)) return 0.0;
  return incomplete_beta(0.5 * nu, 0.5, nu / (nu + t2), t2 / (nu + t2));
}

double fisher_upper(double f, double of_numerator, double of_denominator) {
  const double above = of_numerator * f, below = of_denominator;
  if (std::isinf(above)) return 0.0;
  return incomplete_beta(0.5 * of_denominator, 0.5 * of_numerator, below / (below + above),
                         above / (below + above));
}

// The tail falls in t: bisection of ln t to neighbouring doubles.
double student_quantile(double confidence, double degrees_of_freedom) {
  const double tail = 1.0 - confidence;
  double low = -745.0, high = 710.0;  // of ln t
  for (int k = 0; k < 200 && high - low > epsilon * std::abs(low + high); ++k) {
    const double middle = 0.5 * (low + high);
    (student_two_sided(std::exp(middle), degrees_of_freedom) > tail ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace polyak
