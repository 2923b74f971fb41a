#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "polyak/error.hpp"
#include "tomography/reconstruct/runs.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& where, const std::string& what,
                         const std::string& found, const std::string& expected) {
  throw Error(code, {.what = what, .where = where, .found = found, .expected = expected});
}

// Options that tv, sirt, sart and fbp do not use. The methods of the library check their options
// themselves.
void check_unused(const ReconstructOptions& o) {
  const bool fbp = o.method == "fbp", tv = o.method == "tv";
  const std::pair<const char*, bool> given[] = {{"batch", o.batch.has_value()},
                                                {"step-size", o.step_size.has_value()},
                                                {"momentum", o.momentum.has_value()},
                                                {"b-star", o.b_star.has_value()},
                                                {"coverage", o.coverage.has_value()},
                                                {"sampling", o.sampling != "row-norm"},
                                                {"ridge", o.ridge > 0.0},
                                                {"relaxation", (fbp || tv) && o.relaxation != 1.0},
                                                {"noise", fbp && o.noise},
                                                {"plateau", (fbp || tv) && o.plateau},
                                                {"start", (fbp || tv) && o.start != "zero"}};
  for (const auto& [name, used] : given) {
    if (used)
      refuse(ErrorCode::usage, std::string("--") + name,
             "the method " + o.method + " does not use this option", "a value", "none");
  }
}

// The same bounds as those of the command line (apps/polyak).
void check_numbers(const ReconstructOptions& o) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto number = [](auto value) {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
  };
  const struct {
    const char* name;
    std::optional<double> value;
    double lowest, highest;
    bool open_below = false, open_above = false;
  } all[] = {{"--batch", number(o.batch), 1.0, 0x1p40},
             {"--step-size", o.step_size, 0.0, inf, true},
             {"--momentum", o.momentum, 0.0, 1.0, false, true},
             {"--b-star", o.b_star, 0.0, inf, true},
             {"--coverage", o.coverage, 1.0, inf},
             {"--smoothing", o.smoothing, 0.0, inf, true},
             {"--ridge", o.ridge, 0.0, inf},
             {"--noise", o.noise, 0.0, inf, true},
             {"--tau", o.tau, 0.0, inf, true},
             {"--plateau", o.plateau, 0.0, 1.0, true, true},
             {"--max-passes", o.max_passes, 0.0, inf},
             {"--max-iterations", number(o.max_iterations), 0.0, inf},
             {"--time-limit", o.time_limit_s, 0.0, inf},
             {"--measure-every", o.measure_every, 0.0, inf, true},
             {"--threads", static_cast<double>(o.threads), 0.0, 4096.0},
             {"--memory", o.memory_bytes, 0.0, inf, true}};
  for (const auto& one : all) {
    if (!one.value) continue;
    const double v = *one.value;
    const bool inside = (one.open_below ? v > one.lowest : v >= one.lowest) &&
                        (one.open_above ? v < one.highest : v <= one.highest);
    if (!inside || !std::isfinite(v))
      refuse(ErrorCode::usage, one.name, "the value does not fit the option",
             fmt::format("{:g}", v),
             fmt::format("a finite number from {:g} to {:g}", one.lowest, one.highest));
  }
}

}  // namespace

bool has_sampling_option(const ReconstructOptions& o) {
  return o.batch || o.step_size || o.momentum || o.b_star || o.coverage || o.plateau ||
         o.sampling != "row-norm" || o.ridge > 0.0 || o.start != "zero";
}

void check_options(const ReconstructOptions& o) {
  check_numbers(o);
  if (is_sweep(o.method) && !(o.relaxation > 0.0 && o.relaxation < 2.0))
    refuse(ErrorCode::usage, "relaxation", "the relaxation is not stable",
           fmt::format("{:g}", o.relaxation), "above 0 and below 2");
  if (is_sweep(o.method) || o.method == "fbp" || o.method == "tv") check_unused(o);
  if (o.smoothing && o.method != "tv")
    refuse(ErrorCode::usage, "--smoothing", "the method " + o.method + " does not use this option",
           "a value", "--method tv");
  if (o.smoothing && o.noise)
    refuse(ErrorCode::usage, "--smoothing", "the noise is not used when the smoothing is given",
           "--noise", "one of them");
  if (o.start != "zero" && o.start != "fbp")
    refuse(ErrorCode::usage, "start", "there is no such start", "'" + o.start + "'", "zero or fbp");
}

void check_data(const Geometry& g, const std::vector<double>& sinograms) {
  const Index rays = g.rays();
  if (sinograms.empty() || std::ssize(sinograms) % rays != 0)
    refuse(ErrorCode::bad_data, "sinogram", "the sinogram does not fit the geometry",
           std::to_string(sinograms.size()) + " values",
           fmt::format("{} angles x {} detectors", g.views(), g.detectors));
  for (std::size_t k = 0; k < sinograms.size(); ++k) {
    if (std::isfinite(sinograms[k])) continue;
    const Index r = static_cast<Index>(k) % rays;
    refuse(ErrorCode::bad_data,
           fmt::format("sinogram, view {}, element {} (counted from 1)", r / g.detectors + 1,
                       r % g.detectors + 1),
           "a value is not finite", fmt::format("{}", sinograms[k]),
           "a finite number; --mask leaves rays out");
  }
}

}  // namespace polyak::tomography::internal
