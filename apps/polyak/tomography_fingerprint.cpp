#include <fmt/format.h>

#include "polyak/simd.hpp"
#include "polyak/version.hpp"
#include "tomography_request.hpp"

namespace polyak::cli {
namespace {

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
