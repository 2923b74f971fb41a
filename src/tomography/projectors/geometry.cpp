#include <algorithm>
#include <string>

#include "polyak/error.hpp"
#include "tomography/projectors/rays.hpp"

namespace polyak::tomography {
using namespace polyak::tomography::internal;

namespace {

void require(bool ok, const std::string& where, const std::string& what, const std::string& found,
             const std::string& expected) {
  if (ok) return;
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = expected});
}

bool positive(double v) { return std::isfinite(v) && v > 0.0; }

double half_diagonal(const ImageGrid& image) {
  return 0.5 * image.pixel *
         std::hypot(static_cast<double>(image.rows), static_cast<double>(image.cols));
}

void check_image(const ImageGrid& image) {
  const std::string found = std::to_string(image.rows) + " x " + std::to_string(image.cols);
  require(image.rows > 0 && image.cols > 0, "image", "the image has no pixels", found,
          "at least 1 x 1");
  require(image.rows <= (Index{1} << 30) / image.cols, "image", "the image is too large", found,
          "at most 2^30 pixels");
  require(positive(image.pixel), "pixel size", "the pixel size is not positive",
          std::to_string(image.pixel), "a number above 0");
}

void check_detector(const Geometry& g) {
  require(g.detectors > 0, "detectors", "the detector has no elements", std::to_string(g.detectors),
          "at least 1");
  require(positive(g.spacing), "detector spacing", "the detector spacing is not positive",
          std::to_string(g.spacing), "a number above 0");
  const Index n = std::ssize(g.offsets);
  require(n <= 1 || n == g.views(), "detector offset",
          "the number of offsets does not fit the views", std::to_string(n) + " offsets",
          "one, or " + std::to_string(g.views()));
  for (double v : g.offsets)
    require(std::isfinite(v), "detector offset", "an offset is not finite", std::to_string(v),
            "a finite number");
}

void check_fan(const Geometry& g) {
  if (g.beam != Beam::fan) return;
  const double reach = half_diagonal(g.image);
  require(std::isfinite(g.source_distance) && g.source_distance > reach, "source distance",
          "the source must be outside the image", std::to_string(g.source_distance),
          "above half the image's diagonal, " + std::to_string(reach));
  require(std::isfinite(g.detector_distance) && g.detector_distance >= 0.0, "detector distance",
          "the detector must be beyond the axis", std::to_string(g.detector_distance), "0 or more");
}

// Whether the circle around the image meets the strip between the outer edges of the detector.
bool sees_image(const Geometry& g, Index view) {
  const auto distance = [&](double where) {  // signed distance of the ray from the axis
    const Line line = ray(g, view, where);
    return line.at.x * line.along.y - line.at.y * line.along.x;
  };
  const double a = distance(0.0), b = distance(static_cast<double>(g.detectors));
  const double reach = half_diagonal(g.image);
  return std::min(a, b) < reach && std::max(a, b) > -reach;
}

}  // namespace

double offset_of_center(double center, Index detectors, double spacing) {
  return (0.5 * static_cast<double>(detectors) - center) * spacing;
}

void check(const Geometry& g) {
  check_image(g.image);
  require(g.views() > 0, "angles", "the scan has no views", "no angles", "at least one");
  for (double t : g.angles)
    require(std::isfinite(t), "angles", "an angle is not finite", std::to_string(t),
            "a finite number");
  check_detector(g);
  check_fan(g);
  for (Index view = 0; view < g.views(); ++view)
    if (sees_image(g, view)) return;
  require(false, "detector offset", "no ray meets the image: the object lies off the detector",
          g.offsets.empty() ? "offset 0" : "offset " + std::to_string(g.offsets.front()),
          "an offset smaller than half of detector and image together");
}

Line internal::ray(const Geometry& g, Index view, double where) {
  const double t = g.angles[to_size(view)], cosine = std::cos(t), sine = std::sin(t);
  const double offset =
      g.offsets.empty() ? 0.0 : g.offsets[to_size(g.offsets.size() == 1 ? 0 : view)];
  const double s = (where - 0.5 * static_cast<double>(g.detectors)) * g.spacing + offset;
  if (g.beam == Beam::parallel) return {{s * cosine, s * sine}, {-sine, cosine}};
  const Point source{g.source_distance * sine, -g.source_distance * cosine};
  const double far = g.source_distance + g.detector_distance;
  const Point to{s * cosine - far * sine, s * sine + far * cosine};
  const double length = std::hypot(s, far);
  return {source, {to.x / length, to.y / length}};
}

RayModel ray_model_named(const std::string& name) {
  if (name == "line") return RayModel::line;
  if (name == "linear") return RayModel::linear;
  if (name == "strip") return RayModel::strip;
  throw Error(ErrorCode::usage, {.what = "there is no such ray model",
                                 .found = "'" + name + "'",
                                 .expected = "line, linear or strip"});
}

std::string name_of(RayModel model) {
  return model == RayModel::line ? "line" : model == RayModel::linear ? "linear" : "strip";
}

}  // namespace polyak::tomography
