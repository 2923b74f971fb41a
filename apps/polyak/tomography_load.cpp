#include <fmt/format.h>

#include <cmath>

#include "polyak/io.hpp"
#include "tomography_request.hpp"

namespace polyak::cli {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what,
                         const std::string& found, const std::string& expected) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = expected});
}

struct Slices {
  Index first, last;
};
Slices slices_of(const std::optional<std::string>& text, Index there) {
  if (!text) return {0, there};
  Slices out{};
  const auto colon = text->find(':');
  const std::string_view all(*text);
  const bool parsed = colon != std::string::npos &&
                      detail::parse_into(all.substr(0, colon), out.first) &&
                      detail::parse_into(all.substr(colon + 1), out.last);
  if (parsed && out.first >= 0 && out.first < out.last && out.last <= there) return out;
  throw Error(ErrorCode::usage, {.what = "there are no such slices",
                                 .where = "--slices",
                                 .found = "'" + *text + "'",
                                 .expected = fmt::format("A:B within 0:{}", there)});
}

std::vector<double> per_ray(const std::string& path, Index rays) {
  auto values = read_values(path);
  if (std::ssize(values) == rays) return values;
  refuse(path, "there must be one number per ray", std::to_string(values.size()),
         std::to_string(rays));
}

// Rays that are left out need not hold numbers.
Index apply_mask(ReconstructRequest& request, LoadedScan& scan) {
  if (!request.data.mask) return 0;
  const Index rays = scan.geometry.rays();
  const auto mask = per_ray(*request.data.mask, rays);
  auto& weights = request.options.weights;
  if (weights.empty()) weights.assign(to_size(rays), 1.0);
  Index masked = 0;
  for (Index r = 0; r < rays; ++r) {
    if (mask[to_size(r)] != 0.0) continue;
    ++masked;
    weights[to_size(r)] = 0.0;
    for (Index k = r; k < std::ssize(scan.sinograms); k += rays) scan.sinograms[to_size(k)] = 0.0;
  }
  return masked;
}

void read_weights(ReconstructRequest& request, const LoadedScan& scan) {
  if (!request.data.weights) return;
  const Index rays = scan.geometry.rays();
  if (*request.data.weights != "transmission") {
    request.options.weights = per_ray(*request.data.weights, rays);
    return;
  }
  // One weight for all slices: that of their mean.
  std::vector<double> mean(to_size(rays), 0.0);
  const double slices = static_cast<double>(std::ssize(scan.sinograms) / rays);
  for (std::size_t k = 0; k < scan.sinograms.size(); ++k)
    mean[k % mean.size()] += scan.sinograms[k] / slices;
  for (double& v : mean) v = std::isfinite(v) ? std::exp(-v) : 0.0;
  request.options.weights = std::move(mean);
}

}  // namespace

LoadedScan load_scan(ReconstructRequest& request) {
  const Array file = read_array(request.sinogram, true);
  LoadedScan out;
  out.geometry = make_geometry(request.scan, file.cols());
  const Index views = out.geometry.views(), detectors = out.geometry.detectors;
  const Index rays = out.geometry.rays(), size = file.view().size();
  const bool flat = file.cols() == 1 && size % rays == 0;  // one view comes as a column
  if ((file.cols() != detectors || file.rows() % views != 0) && !flat)
    refuse(request.sinogram, "the sinogram does not fit the geometry",
           fmt::format("{} x {}", file.rows(), file.cols()),
           fmt::format("{} angles x {} detectors", views, detectors));
  const Slices slices = slices_of(request.data.slices, size / rays);
  const auto all = read_values(request.sinogram);
  out.sinograms.assign(all.begin() + slices.first * rays, all.begin() + slices.last * rays);
  read_weights(request, out);
  out.masked = apply_mask(request, out);
  if (request.data.reference) out.reference = read_values(*request.data.reference);
  const Index pixels = out.geometry.image.size() * (slices.last - slices.first);
  if (request.data.reference && std::ssize(out.reference) != pixels)
    refuse(*request.data.reference, "the reference does not have the size of the image",
           std::to_string(out.reference.size()) + " pixels", std::to_string(pixels));
  return out;
}

}  // namespace polyak::cli
