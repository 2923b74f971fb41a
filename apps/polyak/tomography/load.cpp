#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/memory.hpp"
#include "polyak/io.hpp"
#include "polyak/simd.hpp"
#include "polyak/tomography_scan.hpp"
#include "polyak/version.hpp"
#include "tomography/tomography.hpp"

namespace polyak::cli {
namespace {

using namespace tomography;

[[noreturn]] void refuse_data(const std::string& where, const std::string& what,
                              const std::string& found, const std::string& expected) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = expected});
}

std::optional<std::pair<Index, Index>> slices_asked(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::pair<Index, Index> out{};
  const auto colon = text->find(':');
  const std::string_view all(*text);
  const bool parsed = colon != std::string::npos &&
                      detail::parse_into(all.substr(0, colon), out.first) &&
                      detail::parse_into(all.substr(colon + 1), out.second);
  if (parsed) return out;
  throw Error(ErrorCode::usage, {.what = "there are no such slices",
                                 .where = "--slices",
                                 .found = "'" + *text + "'",
                                 .expected = "A:B"});
}

ScanSource source_of(const ReconstructRequest& request, Index angles) {
  const SinogramOptions& data = request.data;
  ScanSource source{.path = request.sinogram, .flat = data.flat, .dark = data.dark};
  source.order = data.order == "projections" ? StackOrder::projections
                 : data.order == "sinograms" ? StackOrder::sinograms
                                             : StackOrder::automatic;
  if (angles > 0) source.views = angles;
  source.detectors = request.scan.detectors;
  source.slices = slices_asked(data.slices);
  source.most_bytes = machine_memory().total;
  return source;
}

std::vector<double> per_ray(const std::string& path, Index rays) {
  auto values = read_values(path);
  if (std::ssize(values) == rays) return values;
  refuse_data(path, "there must be one number per ray", std::to_string(values.size()),
              std::to_string(rays));
}

bool minus_log(const SinogramOptions& data, const ScanData& scan) {
  return data.log == "yes" || (data.log == "auto" && !scan.flat.empty());
}

Prepared prepare_scan(const SinogramOptions& data, const ScanData& scan) {
  PrepareOptions options{.bin = data.bin};
  options.minus_log = minus_log(data, scan);
  if (data.mask) options.mask = per_ray(*data.mask, scan.views * scan.detectors);
  return prepare(scan, options);
}

// No detector counts enough photons for a transmission below exp(-20) = 2e-9: larger values are
// integrals in other units, and their weights would vanish.
constexpr double max_attenuation = 20.0;
void check_transmissions(const std::vector<double>& mean, double attenuation, bool given) {
  const double largest = attenuation * *std::max_element(mean.begin(), mean.end());
  if (largest <= max_attenuation) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the values are too large for attenuations: almost no photon would pass",
               .where = "--weights transmission",
               .found = fmt::format("a transmission of exp(-{:.3g})", largest),
               .expected = fmt::format("exp(-{:g}) or more", max_attenuation),
               .hint = given ? "give a smaller --attenuation"
                             : "give --attenuation M, the factor of the values"});
}

// Without --weights, counts are weighted, because their relative noise is known.
std::string weights_asked(const ReconstructRequest& request, bool counted) {
  const std::string& method = request.options.method;
  if (request.data.weights) return *request.data.weights;
  return counted && (method == "auto" || method == "tv") ? "transmission" : "none";
}

void read_weights(ReconstructRequest& request, const LoadedScan& scan, bool counted) {
  const std::string asked = weights_asked(request, counted);
  if (request.data.attenuation && asked != "transmission")
    throw Error(ErrorCode::usage, {.what = "the option needs another one",
                                   .where = "--attenuation",
                                   .found = {},
                                   .expected = "--weights transmission"});
  if (asked == "none") return;
  const Index rays = scan.geometry.rays();
  if (asked != "transmission") {
    request.options.weights = per_ray(asked, rays);
    return;
  }
  // One weight per ray for all slices, from their mean.
  std::vector<double> mean(to_size(rays), 0.0);
  const double slices = static_cast<double>(std::ssize(scan.sinograms) / rays);
  for (std::size_t k = 0; k < scan.sinograms.size(); ++k)
    mean[k % mean.size()] += scan.sinograms[k] / slices;
  const double attenuation = request.data.attenuation.value_or(1.0);
  if (!counted) check_transmissions(mean, attenuation, request.data.attenuation.has_value());
  for (double& v : mean) v = std::isfinite(v) ? std::exp(-attenuation * v) : 0.0;
  request.options.weights = std::move(mean);
}

// A ray without data in one slice is left out in all slices, because they share weights.
Index leave_out(std::vector<double>& weights, const std::vector<char>& left_out, Index rays) {
  if (left_out.empty()) return 0;
  if (weights.empty()) weights.assign(to_size(rays), 1.0);
  for (std::size_t k = 0; k < left_out.size(); ++k)
    if (left_out[k] != 0) weights[k % weights.size()] = 0.0;
  return std::count(weights.begin(), weights.end(), 0.0);
}

void find_axis(const ReconstructRequest& request, const Prepared& ready, ScanFacts& facts,
               Messages& messages) {
  if (request.scan.center != "auto" || request.scan.offset) return;
  const auto bin = static_cast<double>(facts.bin);
  const CenterEstimate axis = find_center(ready.sinograms, facts.angles, ready.detectors);
  facts.center = axis.center * bin;
  messages.note(fmt::format("center {:.3f} of {} elements, standard error {:.2g}", *facts.center,
                            facts.detectors, axis.standard_error * bin));
  messages.event({{"event", "center"},
                  {"center", *facts.center},
                  {"standard_error", axis.standard_error * bin}});
  if (axis.cut_off)
    messages.warning("the object extends beyond the edge of the detector: the center may be wrong");
  if (axis.standard_error > 0.5)
    messages.warning("the center is uncertain by half an element or more");
}

void warn_of_lost_rays(const Prepared& ready, Messages& messages) {
  if (ready.opaque > 0)
    messages.warning(fmt::format("{} rays of {} have no positive transmission and are left out",
                                 ready.opaque, ready.sinograms.size()));
  if (ready.dead > 0)
    messages.warning(fmt::format(
        "{} elements, over all slices, have a flat field not above the dark field and are left out",
        ready.dead));
}

void read_reference(const SinogramOptions& data, LoadedScan& scan) {
  if (!data.reference) return;
  scan.reference = read_values(*data.reference);
  const Index slices = std::ssize(scan.sinograms) / scan.geometry.rays();
  const Index pixels = scan.geometry.image.size() * slices;
  if (std::ssize(scan.reference) != pixels)
    refuse_data(*data.reference, "the reference does not have the size of the image",
                std::to_string(scan.reference.size()) + " pixels", std::to_string(pixels));
}

template <class Value>
std::string shown(const Value& value) {
  return fmt::format("{}", value);
}
template <class Value>
std::string shown(const std::optional<Value>& value) {
  return value ? shown(*value) : "auto";
}

std::string of_geometry(const tomography::Geometry& g) {
  return fmt::format("{} views x {} elements, {} x {} pixels of {}, spacing {}, {}, {}, {}, {}",
                     g.views(), g.detectors, g.image.rows, g.image.cols, g.image.pixel, g.spacing,
                     g.source_distance, g.detector_distance, digest(g.angles), digest(g.offsets));
}

}  // namespace

LoadedScan load_scan(ReconstructRequest& request, Messages& messages) {
  messages.status("reading " + request.sinogram);
  auto angles = angles_asked(request.scan);
  const ScanData data = read_scan(source_of(request, std::ssize(angles)));
  if (angles.empty()) angles = data.angles.empty() ? default_angles() : data.angles;
  Prepared ready = prepare_scan(request.data, data);
  warn_of_lost_rays(ready, messages);
  ScanFacts facts{
      .detectors = data.detectors, .angles = angles, .bin = request.data.bin, .center = {}};
  LoadedScan out;
  find_axis(request, ready, facts, messages);
  out.center = facts.center;
  out.geometry = make_geometry(request.scan, facts);
  out.sinograms = std::move(ready.sinograms);
  read_weights(request, out, minus_log(request.data, data));
  out.masked = leave_out(request.options.weights, ready.left_out, out.geometry.rays());
  read_reference(request.data, out);
  return out;
}

Fingerprint fingerprint(const ReconstructRequest& request, const LoadedScan& scan) {
  const tomography::ReconstructOptions& o = request.options;
  return {{"version of polyak", version_string},
          {"vector instructions", simd_target()},
          {"the scan's geometry", of_geometry(scan.geometry)},
          {"the sinogram", digest(scan.sinograms)},
          {"weights", digest(o.weights)},
          {"--method", o.method},
          {"--projector", o.projector},
          {"--stored", shown(o.stored)},
          {"--batch", shown(o.batch)},
          {"--step-size", shown(o.step_size)},
          {"--momentum", shown(o.momentum)},
          {"--b-star", shown(o.b_star)},
          {"--coverage", shown(o.coverage)},
          {"--sampling", o.sampling},
          {"--relaxation", shown(o.relaxation)},
          {"--start", o.start + ", " + o.filter},
          {"--smoothing", shown(o.smoothing)},
          {"--ridge", shown(o.ridge)},
          {"--lower", shown(o.lower)},
          {"--upper", shown(o.upper)},
          {"--noise", shown(o.noise)},
          {"--tau", shown(o.tau)},
          {"--plateau", shown(o.plateau)},
          {"--max-passes", shown(o.max_passes)},
          {"--max-iterations", shown(o.max_iterations)},
          {"--measure-every", shown(o.measure_every)},
          {"--memory", shown(o.memory_bytes)},
          {"--seed", shown(o.seed)}};
}

}  // namespace polyak::cli
