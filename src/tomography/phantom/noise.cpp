#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "polyak/error.hpp"
#include "polyak/tomography_phantom.hpp"
#include "tomography/streams.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

void require_number(const char* name, double v, bool zero_too) {
  if (std::isfinite(v) && (v > 0.0 || (zero_too && v == 0.0))) return;
  throw Error(ErrorCode::usage, {.what = "noise cannot be made with this value",
                                 .where = name,
                                 .found = std::to_string(v),
                                 .expected = zero_too ? "0 or more" : "a number above 0"});
}

// Knuth's product of uniform numbers: exact, for small means.
double small_poisson(double mean, const Random& random, std::uint64_t ray) {
  const double limit = std::exp(-mean);
  double product = random.uniform(ray, 0);
  double count = 0.0;
  for (std::uint64_t t = 1; product > limit; ++t, ++count) product *= random.uniform(ray, t);
  return count;
}

// Hörmann's transformed rejection (PTRS, 1993): exact, for means of 10 or more.
double large_poisson(double mean, const Random& random, std::uint64_t ray) {
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2.0);
  for (std::uint64_t t = 0;; t += 2) {
    const double u = random.uniform(ray, t) - 0.5, v = random.uniform(ray, t + 1);
    const double us = 0.5 - std::abs(u), k = std::floor((2.0 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    const double left = std::log(v * inverse_alpha / (a / (us * us) + b));
    int sign = 0;  // std::lgamma would store it in a global variable
    if (left <= k * std::log(mean) - mean - ::lgamma_r(k + 1.0, &sign)) return k;
  }
}

}  // namespace

void add_gaussian_noise(std::vector<double>& sinogram, double sigma, std::uint64_t seed) {
  require_number("gaussian noise", sigma, true);
  constexpr std::size_t range = 4096;
  const Random random(seed, stream::detector);
  std::vector<double> z(range);
  for (std::size_t first = 0; first < sinogram.size(); first += range) {
    const std::size_t count = std::min(range, sinogram.size() - first);
    random.normals(first / range, count, z.data());
    for (std::size_t i = 0; i < count; ++i) sinogram[first + i] += sigma * z[i];
  }
}

std::vector<double> add_poisson_noise(std::vector<double>& sinogram, double photons,
                                      double attenuation, std::uint64_t seed) {
  require_number("photons", photons, false);
  require_number("attenuation", attenuation, false);
  const Random random(seed, stream::detector);
  std::vector<double> counts(sinogram.size());
  for (std::size_t r = 0; r < sinogram.size(); ++r) {
    const double mean = photons * std::exp(-attenuation * sinogram[r]);
    counts[r] = mean < 10.0 ? small_poisson(mean, random, r) : large_poisson(mean, random, r);
    sinogram[r] = -std::log(std::max(counts[r], 0.5) / photons) / attenuation;
  }
  return counts;
}

}  // namespace polyak::tomography
