#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "polyak/error.hpp"
#include "polyak/tomography_scan.hpp"
#include "tomography/scan/layout.hpp"

namespace polyak::tomography {
using namespace polyak::tomography::internal;

namespace {

void check_count(const ScanData& scan, double value, Index slice, Index view, Index k) {
  if (std::isfinite(value) && value >= 0.0) return;
  refuse_scan(fmt::format("{}, slice {}, view {}, element {} (counted from 1)", scan.name,
                          slice + 1, view + 1, k + 1),
              value < 0.0 ? "a count is negative" : "a count is not finite",
              fmt::format("{}", value),
              "0 or more; --mask leaves rays out, --log no takes line integrals");
}

// The rays of one slice of a scan.
class Slice {
 public:
  Slice(const ScanData& scan, const PrepareOptions& options, Index slice)
      : scan_(scan), options_(options), slice_(slice) {
    const auto n = to_size(scan.detectors), at = to_size(slice) * n;
    dark_.assign(n, 0.0);
    gain_.assign(n, 1.0);
    if (!options.minus_log || scan.flat.empty()) return;
    for (std::size_t k = 0; k < n; ++k) {
      if (!scan.dark.empty()) dark_[k] = scan.dark[at + k];
      gain_[k] = scan.flat[at + k] - dark_[k];
    }
  }

  Index dead() const {
    return std::count_if(gain_.begin(), gain_.end(), [](double g) { return !(g > 0.0); });
  }

  struct Ray {
    double value = 0.0;
    bool alive = false;   // at least one of its elements works
    bool opaque = false;  // no positive transmission
  };
  // The elements [first, first + bin) joined into one ray.
  Ray ray(Index view, Index first) const {
    double sum = 0.0, whole = 0.0;
    for (Index k = first; k < first + options_.bin; ++k) {
      if (masked(view, k) || !(gain_[to_size(k)] > 0.0)) continue;
      const double value =
          scan_.values[to_size((slice_ * scan_.views + view) * scan_.detectors + k)];
      if (options_.minus_log) check_count(scan_, value, slice_, view, k);
      sum += value - dark_[to_size(k)];
      whole += gain_[to_size(k)];
    }
    if (whole == 0.0) return {};
    const double t = sum / whole;
    if (!options_.minus_log) return {t, true, false};
    return t > 0.0 ? Ray{-std::log(t), true, false} : Ray{0.0, true, true};
  }

 private:
  bool masked(Index view, Index k) const {
    return !options_.mask.empty() && options_.mask[to_size(view * scan_.detectors + k)] == 0.0;
  }

  const ScanData& scan_;
  const PrepareOptions& options_;
  Index slice_;
  std::vector<double> dark_, gain_;
};

// Left-out rays of a view are interpolated linearly between their neighbours, and extended
// constantly at an edge: useful for methods without weights.
void interpolate(double* row, const char* out, Index n) {
  Index before = -1;
  for (Index k = 0; k < n; ++k) {
    if (out[k] == 0) {
      before = k;
      continue;
    }
    Index after = k;
    while (after < n && out[after] != 0) ++after;
    if (before < 0 && after == n) return;  // the whole view is left out and stays 0
    for (; k < after; ++k) {
      const double left = before < 0 ? row[after] : row[before];
      const double right = after == n ? left : row[after];
      const double part = static_cast<double>(k - before) / static_cast<double>(after - before);
      row[k] = left + part * (right - left);
    }
    --k;
  }
}

void check_sizes(const ScanData& scan, const PrepareOptions& options) {
  if (options.bin < 1 || options.bin > scan.detectors)
    throw Error(ErrorCode::usage, {.what = "the detector has no such number of elements to join",
                                   .where = "--bin",
                                   .found = std::to_string(options.bin),
                                   .expected = "1 to " + std::to_string(scan.detectors)});
  const Index rays = scan.views * scan.detectors;
  if (!options.mask.empty() && std::ssize(options.mask) != rays)
    refuse_scan("--mask", "there must be one number per ray", std::to_string(options.mask.size()),
                fmt::format("{} angles x {} detectors", scan.views, scan.detectors));
}

}  // namespace

Prepared prepare(const ScanData& scan, const PrepareOptions& options) {
  check_sizes(scan, options);
  Prepared out;
  out.detectors = scan.detectors / options.bin;
  const Index rays = scan.views * out.detectors;
  out.sinograms.reserve(to_size(scan.slices * rays));
  out.left_out.reserve(to_size(scan.slices * rays));
  for (double m : options.mask) out.masked += m == 0.0 ? 1 : 0;
  for (Index s = 0; s < scan.slices; ++s) {
    const Slice slice(scan, options, s);
    const Index dead = slice.dead();
    if (dead == scan.detectors)
      refuse_scan(scan.name + ", slice " + std::to_string(s + 1) + " (counted from 1)",
                  "the flat field is nowhere above the dark field", "no light at all",
                  "flat fields taken with the beam on");
    out.dead += dead;
    for (Index view = 0; view < scan.views; ++view) {
      for (Index k = 0; k < out.detectors; ++k) {
        const auto ray = slice.ray(view, k * options.bin);
        out.sinograms.push_back(ray.value);
        out.left_out.push_back(ray.alive && !ray.opaque ? 0 : 1);
        out.opaque += ray.opaque ? 1 : 0;
      }
      const auto row = std::ssize(out.sinograms) - out.detectors;
      interpolate(out.sinograms.data() + row, out.left_out.data() + row, out.detectors);
    }
  }
  const auto lost = std::count(out.left_out.begin(), out.left_out.end(), 1);
  if (lost > 0 && lost == std::ssize(out.left_out))
    refuse_scan(scan.name, "no ray is left", "all masked, dead or without light",
                "a scan with light");
  if (lost == 0) out.left_out.clear();
  return out;
}

}  // namespace polyak::tomography
