#pragma once

// P-values for tests with fixed seeds. A test passes when its p-value is above
// `significance`: a correct generator would fail one in a million such tests,
// and because seeds are fixed it either always passes or always fails.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace polyak::test {

constexpr double significance = 1e-6;

/// P(Z > z) of the standard normal.
inline double normal_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }
inline double two_sided(double z) { return 2.0 * normal_tail(std::abs(z)); }

/// P(X > x) of chi-square with `freedom` degrees, by Wilson and Hilferty's cube
/// root; good to a few percent for freedom of 3 and more, far out too.
inline double chi_square_tail(double x, double freedom) {
  const double v = 2.0 / (9.0 * freedom);
  return normal_tail((std::cbrt(x / freedom) - (1.0 - v)) / std::sqrt(v));
}

/// P-value of counts against what was expected of each cell; cells expected
/// fewer than 10 times are put together so that the limit law applies.
inline double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double x = 0.0, cells = 0.0, rest = 0.0, rest_expected = 0.0;
  const auto add = [&](double count, double mean) {
    x += (count - mean) * (count - mean) / mean;
    cells += 1.0;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] >= 10.0) {
      add(counts[i], expected[i]);
    } else {
      rest += counts[i];
      rest_expected += expected[i];
    }
  }
  if (rest_expected > 0.0) add(rest, rest_expected);
  return chi_square_tail(x, cells - 1.0);
}

/// Kolmogorov and Smirnov's p-value of a sample against its distribution
/// function; the first term of the series, right for small p.
template <class Distribution>
double kolmogorov_smirnov(std::vector<double> sample, Distribution distribution) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = distribution(sample[i]), below = static_cast<double>(i) / n;
    distance = std::max({distance, f - below, below + 1.0 / n - f});
  }
  return std::min(1.0, 2.0 * std::exp(-2.0 * n * distance * distance));
}

/// P-value of "these are not correlated": √n·r is standard normal for large n.
inline double no_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sa += a[i], sb += b[i];
    saa += a[i] * a[i], sbb += b[i] * b[i], sab += a[i] * b[i];
  }
  const double covariance = sab - sa * sb / n;
  const double r = covariance / std::sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
  return two_sided(std::sqrt(n) * r);
}

}  // namespace polyak::test
