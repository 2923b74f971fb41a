// How fast projections of pixels come nearer to the integrals as pixels shrink:
// the error falls like (pixel size)^order, and the order is fitted.
#include <gtest/gtest.h>

#include "polyak/tomography_phantom.hpp"
#include "scans.hpp"

namespace polyak::tomography {
namespace {

// 64 elements look at [−0.9, 0.9], whatever the pixels.
Geometry scan_with(Index side) {
  Geometry g;
  g.angles = {0.1, 0.35, 0.5, 0.9, 1.3, 1.7, 2.0, 2.9};
  g.detectors = 64;
  g.spacing = 1.8 / 64;
  g.image = {side, side, 2.0 / static_cast<double>(side)};
  return g;
}

// exp(−‖p − centre‖²/(2 sigma²)): a smooth image, sampled in the pixels' middles.
constexpr double sigma = 0.2, centre_x = 0.1, centre_y = -0.05;

std::vector<double> blob(const ImageGrid& image) {
  std::vector<double> out;
  const double side = static_cast<double>(image.rows);
  for (Index i = 0; i < image.rows; ++i) {
    for (Index j = 0; j < image.cols; ++j) {
      const double x = (static_cast<double>(j) + 0.5 - side / 2) * image.pixel - centre_x;
      const double y = (side / 2 - 0.5 - static_cast<double>(i)) * image.pixel - centre_y;
      out.push_back(std::exp(-(x * x + y * y) / (2 * sigma * sigma)));
    }
  }
  return out;
}

// Its integrals along lines, or their means over the elements.
std::vector<double> blob_integrals(const Geometry& g, bool means) {
  std::vector<double> out;
  const double line = sigma * std::sqrt(2 * std::numbers::pi);
  for (double t : g.angles) {
    const double middle = centre_x * std::cos(t) + centre_y * std::sin(t);
    for (Index k = 0; k < g.detectors; ++k) {
      const double s =
          (static_cast<double>(k) + 0.5 - static_cast<double>(g.detectors) / 2) * g.spacing -
          middle;
      const double scale = 1.0 / (sigma * std::numbers::sqrt2), half = 0.5 * g.spacing;
      const double mean =
          0.5 * line * (std::erf((s + half) * scale) - std::erf((s - half) * scale));
      out.push_back(means ? line * mean / g.spacing
                          : line * std::exp(-s * s / (2 * sigma * sigma)));
    }
  }
  return out;
}

std::vector<double> shape_integrals(const Phantom& phantom, Geometry g, bool means) {
  if (!means) return exact_projections(phantom, g);
  constexpr Index finer = 64;
  g.detectors *= finer;
  g.spacing /= finer;
  const auto fine = exact_projections(phantom, g);
  std::vector<double> out(fine.size() / finer, 0.0);
  for (std::size_t r = 0; r < fine.size(); ++r) out[r / finer] += fine[r] / finer;
  return out;
}

// ‖difference‖/‖exact‖ over all rays.
double error(const Geometry& g, RayModel model, const std::vector<double>& image,
             const std::vector<double>& exact) {
  auto y = times(*projector(g, model), image);
  for (std::size_t r = 0; r < y.size(); ++r) y[r] -= exact[r];
  return std::sqrt(dot(y, y) / dot(exact, exact));
}

// The slope of log(error) over log(pixel), by least squares.
template <class Error>
double order(Error error_at) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (Index side : {32, 64, 128, 256}) {
    const double x = -std::log(static_cast<double>(side)), y = std::log(error_at(side));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

class Order : public testing::TestWithParam<RayModel> {};

TEST_P(Order, is_two_where_the_image_is_smooth) {
  const double fitted = order([](Index side) {
    const Geometry g = scan_with(side);
    return error(g, GetParam(), blob(g.image), blob_integrals(g, GetParam() == RayModel::strip));
  });
  EXPECT_NEAR(fitted, 2.0, 0.12);
}

// A jump within a pixel costs a line an order, more or less as it grazes it; a
// strip much wider than a pixel averages that away.
TEST_P(Order, is_one_across_edges_and_two_for_strips_wider_than_pixels) {
  const bool strip = GetParam() == RayModel::strip;
  for (const Phantom& phantom : {disc(), rectangle()}) {
    const double fitted = order([&](Index side) {
      const Geometry g = scan_with(side);
      return error(g, GetParam(), draw(phantom, g.image, 16), shape_integrals(phantom, g, strip));
    });
    EXPECT_GE(fitted, strip ? 1.7 : 0.9);
    EXPECT_LE(fitted, strip ? 2.3 : 1.7);
  }
}

INSTANTIATE_TEST_SUITE_P(, Order,
                         testing::Values(RayModel::line, RayModel::linear, RayModel::strip),
                         [](const auto& model) { return name_of(model.param); });

}  // namespace
}  // namespace polyak::tomography
