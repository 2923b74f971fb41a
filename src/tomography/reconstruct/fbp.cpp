// Filtered back projection. The ramp filter is applied as a convolution with its closed-form
// kernel, without a Fourier transform: views × detectors² operations, few compared with the back
// projection.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/thread_team.hpp"
#include "polyak/error.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

constexpr double pi = std::numbers::pi;

// Samples of the kernel of the filter for |k| < n, at element spacing 1:
//   ram-lak: ¼, 0 or −1/(πk)²;  shepp-logan: 2/(π²(1 − 4k²));
//   hann: ram-lak smoothed by (¼, ½, ¼), which is the window ½(1 + cos ω).
std::vector<double> kernel(const std::string& filter, Index n) {
  const auto ramp = [](Index k) {
    const double x = pi * static_cast<double>(k);
    return k == 0 ? 0.25 : k % 2 == 0 ? 0.0 : -1.0 / (x * x);
  };
  std::vector<double> h(to_size(n));
  for (Index k = 0; k < n; ++k) {
    const double x = static_cast<double>(k);
    if (filter == "ram-lak")
      h[to_size(k)] = ramp(k);
    else if (filter == "shepp-logan")
      h[to_size(k)] = 2.0 / (pi * pi * (1.0 - 4.0 * x * x));
    else if (filter == "hann")
      h[to_size(k)] = 0.5 * ramp(k) + 0.25 * (ramp(std::abs(k - 1)) + ramp(k + 1));
    else
      throw Error(ErrorCode::usage, {.what = "there is no such filter",
                                     .found = "'" + filter + "'",
                                     .expected = "ram-lak, shepp-logan or hann"});
  }
  return h;
}

// The angular weight of each view: half the gaps to its neighbours on the half turn (parallel) or
// turn (fan). A gap of a missing wedge counts as at most twice the median gap.
std::vector<double> view_weights(const Geometry& g) {
  const double period = g.beam == Beam::parallel ? pi : 2.0 * pi;
  const Index n = g.views();
  std::vector<double> turned(to_size(n)), weights(to_size(n), period);
  std::vector<Index> order(to_size(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index v = 0; v < n; ++v) {
    const double t = std::fmod(g.angles[to_size(v)], period);
    turned[to_size(v)] = t < -1e-9 ? t + period : t > period - 1e-9 ? t - period : t;
  }
  if (n == 1) return weights;
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return turned[to_size(a)] < turned[to_size(b)]; });
  std::vector<double> gaps;
  for (Index k = 0; k < n; ++k) {
    const Index next = order[to_size((k + 1) % n)];
    const double gap = turned[to_size(next)] - turned[to_size(order[to_size(k)])];
    gaps.push_back(k + 1 == n ? gap + period : gap);
  }
  std::vector<double> sorted(gaps);
  std::sort(sorted.begin(), sorted.end());
  const double usual = std::max(sorted[to_size(n / 2)], period / static_cast<double>(n));
  if (g.beam == Beam::fan && sorted.back() > 5.0 * usual && sorted.back() > 0.5)
    throw Error(ErrorCode::bad_data, {.what = "filtered back projection of a fan needs a full turn",
                                      .where = "angles",
                                      .found = "a gap of " + std::to_string(sorted.back()) + " rad",
                                      .hint = "use an iterative method"});
  for (double& gap : gaps) gap = std::min(gap, 2.0 * usual);
  for (Index k = 0; k < n; ++k)
    weights[to_size(order[to_size(k)])] = 0.5 * (gaps[to_size(k)] + gaps[to_size((k + n - 1) % n)]);
  return weights;
}

class BackProjector {
 public:
  BackProjector(const Geometry& g, const std::string& filter)
      : g_(g), h_(kernel(filter, g.detectors)), weights_(view_weights(g)) {
    for (double t : g.angles) cosines_.push_back(std::cos(t)), sines_.push_back(std::sin(t));
  }

  // Filters one view: for a fan beam multiplied by the cosine of the fan angle before, and by the
  // angular weight after. Lengths are measured at the axis.
  void filter(Index view, const double* in, double* out) const {
    const Index n = g_.detectors;
    const double unit = spacing_at_axis(), source = g_.source_distance;
    std::vector<double> p(in, in + n);
    for (Index k = 0; k < n && g_.beam == Beam::fan; ++k)
      p[to_size(k)] *= source / std::hypot(source, position(view, static_cast<double>(k)));
    const double factor = weights_[to_size(view)] / unit * (g_.beam == Beam::fan ? 0.5 : 1.0);
    for (Index k = 0; k < n; ++k) {
      double sum = 0.0;
      for (Index m = 0; m < n; ++m) sum += p[to_size(m)] * h_[to_size(std::abs(k - m))];
      out[k] = factor * sum;
    }
  }

  // Σ over views of the filtered value at the point of the detector on the ray through the pixel.
  double at(double x, double y, const std::vector<double>& filtered) const {
    double sum = 0.0;
    for (Index v = 0; v < g_.views(); ++v) {
      const double c = cosines_[to_size(v)], n = sines_[to_size(v)];
      double s = x * c + y * n, weight = 1.0;
      if (g_.beam == Beam::fan) {
        const double depth = (g_.source_distance - x * n + y * c) / g_.source_distance;
        s /= depth;
        weight = 1.0 / (depth * depth);
      }
      const double k =
          (s - offset(v)) / spacing_at_axis() + 0.5 * static_cast<double>(g_.detectors - 1);
      if (!(k > -1.0) || k >= static_cast<double>(g_.detectors)) continue;
      const Index j = static_cast<Index>(k + 1.0) - 1;
      const double t = k - static_cast<double>(j);
      const double* p = filtered.data() + v * g_.detectors;
      if (j >= 0) sum += weight * (1.0 - t) * p[j];
      if (j + 1 < g_.detectors) sum += weight * t * p[j + 1];
    }
    return sum;
  }

 private:
  double magnification() const {
    return g_.beam == Beam::fan ? (g_.source_distance + g_.detector_distance) / g_.source_distance
                                : 1.0;
  }
  double spacing_at_axis() const { return g_.spacing / magnification(); }
  double offset(Index v) const {
    if (g_.offsets.empty()) return 0.0;
    return g_.offsets[to_size(g_.offsets.size() == 1 ? 0 : v)] / magnification();
  }
  double position(Index v, double k) const {
    return (k + 0.5 - 0.5 * static_cast<double>(g_.detectors)) * spacing_at_axis() + offset(v);
  }

  const Geometry& g_;
  std::vector<double> h_, weights_, cosines_, sines_;
};

}  // namespace

std::vector<double> filtered_back_projection(const Geometry& geometry,
                                             const std::vector<double>& sinograms,
                                             const std::string& filter, int threads) {
  check(geometry);
  const Index rays = geometry.rays(), d = geometry.image.size();
  const Index slices = std::ssize(sinograms) / rays;
  const BackProjector back(geometry, filter);
  ThreadTeam team(threads);
  std::vector<double> images(to_size(slices * d)), filtered(to_size(rays));
  const ImageGrid& image = geometry.image;
  for (Index slice = 0; slice < slices; ++slice) {
    const double* in = sinograms.data() + slice * rays;
    team.run(geometry.views(), [&](Index v) {
      back.filter(v, in + v * geometry.detectors, filtered.data() + v * geometry.detectors);
    });
    team.run(image.rows, [&](Index i) {
      const double y = (0.5 * static_cast<double>(image.rows - 1) - static_cast<double>(i));
      for (Index j = 0; j < image.cols; ++j) {
        const double x = static_cast<double>(j) - 0.5 * static_cast<double>(image.cols - 1);
        images[to_size(slice * d + i * image.cols + j)] =
            back.at(x * image.pixel, y * image.pixel, filtered);
      }
    });
  }
  return images;
}

}  // namespace polyak::tomography
