#include "tomography/projectors/ray_maker.hpp"

#include <algorithm>
#include <type_traits>

#include "tomography/projectors/rays.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

namespace {

struct Writer {
  std::int32_t* columns;
  double* values;
  Index count = 0;

  // Always writes, but counts the entry only if `counts`; avoids a branch.
  void put(Index column, double value, bool counts) {
    columns[count] = static_cast<std::int32_t>(column);
    values[count] = value;
    count += counts;
  }
};

// ⌊v⌋ for v > −2, without a function call.
double whole(double v) { return static_cast<double>(static_cast<std::int32_t>(v + 2.0) - 2); }

}  // namespace

RayMaker::RayMaker(Geometry geometry, RayModel model)
    : geometry_(std::move(geometry)), model_(model) {
  check(geometry_);
  const Geometry& g = geometry_;
  for (Index v = 0; v < g.views(); ++v) {
    const double t = g.angles[to_size(v)];
    const double offset =
        g.offsets.empty() ? 0.0 : g.offsets[to_size(g.offsets.size() == 1 ? 0 : v)];
    views_.push_back({std::cos(t), std::sin(t), offset});
  }
  const Index pairs = 2 * std::max(g.image.rows, g.image.cols) + 2;
  capacity_ = model == RayModel::strip ? strip_capacity() : pairs;
}

// In the image a strip is at most `widest` wide, at most twice that along a row, and covers up to
// two more pixels on each side because of its slope.
Index RayMaker::strip_capacity() const {
  const Geometry& g = geometry_;
  const double side = static_cast<double>(std::max(g.image.rows, g.image.cols));
  double widest = g.spacing;
  if (g.beam == Beam::fan) {
    const double far = g.source_distance + g.detector_distance;
    widest *= std::max(1.0, (g.source_distance + side * g.image.pixel) / far);
  }
  const double across = std::min(side, 2.0 * widest / g.image.pixel + 4.0);
  return static_cast<Index>(across + 1.0) * static_cast<Index>(side) + 2;
}

Line RayMaker::line(Index r, double shift) const {
  const Geometry& g = geometry_;
  const Index v = r / g.detectors;
  const View& view = views_[to_size(v)];
  const double k = static_cast<double>(r - v * g.detectors) + shift;
  const double s = (k - 0.5 * static_cast<double>(g.detectors)) * g.spacing + view.offset;
  if (g.beam == Beam::parallel)
    return {{s * view.cosine, s * view.sine}, {-view.sine, view.cosine}};
  const double far = g.source_distance + g.detector_distance, length = std::hypot(s, far);
  return {
      {g.source_distance * view.sine, -g.source_distance * view.cosine},
      {(s * view.cosine - far * view.sine) / length, (s * view.sine + far * view.cosine) / length}};
}

Index RayMaker::make(Index r, std::int32_t* columns, double* values) const {
  return model_ == RayModel::strip ? make_strip(r, columns, values)
                                   : make_pairs(line(r, 0.5), columns, values);
}

// About 20 operations per step; writes the entries and reads no memory. The steps in the middle
// have both pixels inside the image and need no checks.
Index RayMaker::make_pairs(const Line& ray, std::int32_t* columns, double* values) const {
  const ImageGrid& image = geometry_.image;
  const bool rows = by_rows(ray);
  const Crossing c = crossing(ray, image, rows);
  const Path path(image, rows);
  const double q = std::abs(c.slope), L = image.pixel * std::sqrt(1.0 + q * q);
  const Share share = share_of(model_, q);
  const double across = static_cast<double>(path.across);
  const Steps all = steps_within(c, path.steps, -1.0, across);
  Steps middle = steps_inside(c, path.steps, across);
  if (middle.last <= middle.first) middle = {all.last, all.last};
  Writer out{columns, values};
  const auto step = [&](Index k, auto checked) {
    const double at = c.c0 + static_cast<double>(k) * c.slope;
    const std::int32_t j = static_cast<std::int32_t>(at + 2.0) - 2;  // ⌊at⌋ for at > −2
    const double t = share(at - static_cast<double>(j));
    const Index column = k * path.step_stride + j * path.stride;
    bool first = t < 1.0 - negligible;
    bool second = t > negligible;
    if constexpr (checked) {
      first = first && j >= 0 && j < path.across;
      second = second && j >= -1 && j < path.across - 1;
    }
    out.put(column, L * (1.0 - t), first);
    out.put(column + path.stride, L * t, second);
  };
  for (Index k = all.first; k < middle.first; ++k) step(k, std::true_type{});
  for (Index k = middle.first; k < middle.last; ++k) step(k, std::false_type{});
  for (Index k = middle.last; k < all.last; ++k) step(k, std::true_type{});
  return out.count;
}

// The edges of the strip are lines; in a fan beam they meet at the source, and the width is that
// of the strip at the pixel.
Index RayMaker::make_strip(Index r, std::int32_t* columns, double* values) const {
  const Geometry& g = geometry_;
  const ImageGrid& image = g.image;
  const Line ray = line(r, 0.5), edge_a = line(r, 0.0), edge_b = line(r, 1.0);
  const bool rows = by_rows(ray);
  const Path path(image, rows);
  Crossing left = crossing(edge_a, image, rows), right = crossing(edge_b, image, rows);
  const double middle = 0.5 * static_cast<double>(path.steps - 1);
  if (left.c0 + middle * left.slope > right.c0 + middle * right.slope) std::swap(left, right);
  const Area area_left(std::abs(left.slope)), area_right(std::abs(right.slope));
  const auto tangent = [&](const Line& edge) {  // of the angle between edge and ray
    return std::abs((edge.along.x * ray.along.y - edge.along.y * ray.along.x) /
                    (edge.along.x * ray.along.x + edge.along.y * ray.along.y));
  };
  const double opening = g.beam == Beam::fan ? tangent(edge_a) + tangent(edge_b) : 0.0;
  const double middle_x = 0.5 * static_cast<double>(image.cols - 1);
  const double middle_y = 0.5 * static_cast<double>(image.rows - 1);
  const double across = static_cast<double>(path.across);
  const Steps from = steps_within(left, path.steps, -1e9, across + area_left.T);
  const Steps to = steps_within(right, path.steps, -1.0 - area_right.T, 1e9);
  Writer out{columns, values};
  for (Index k = std::max(from.first, to.first); k < std::min(from.last, to.last); ++k) {
    const double step = static_cast<double>(k);
    const double a = left.c0 + step * left.slope, b = right.c0 + step * right.slope;
    const double lowest = whole(std::max(0.0, a - area_left.T + 0.999999999));
    const double highest = whole(std::max(-1.0, std::min(across - 1.0, b + area_right.T)));
    for (double j = lowest; j <= highest; j += 1.0) {
      const double share = area_right(b - j) - area_left(a - j);
      double width = g.spacing;
      if (opening > 0.0) {
        const double x = ((rows ? j : step) - middle_x) * image.pixel - ray.at.x;
        const double y = (middle_y - (rows ? step : j)) * image.pixel - ray.at.y;
        width = opening * (x * ray.along.x + y * ray.along.y);
      }
      const Index column = k * path.step_stride + static_cast<Index>(j) * path.stride;
      out.put(column, image.pixel * image.pixel * share / width, share > negligible);
    }
  }
  return out.count;
}

}  // namespace polyak::tomography::internal
