#include <fmt/format.h>

#include <numbers>

#include "polyak/io.hpp"
#include "tomography/tomography.hpp"

namespace polyak::cli {
namespace {

[[noreturn]] void refuse_value(const std::string& where, const std::string& what,
                               const std::string& found, const std::string& expected) {
  throw Error(ErrorCode::usage,
              {.what = what, .where = where, .found = found, .expected = expected});
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

double number(const std::string& option, const std::string& text, const std::string& expected) {
  double value = 0.0;
  if (!detail::parse_into(std::string_view(text), value))
    refuse_value(option, "the value does not fit the option", "'" + text + "'", expected);
  return value;
}

// A parallel beam covers every line in half a turn, a fan beam in a whole turn.
double default_range(const std::string& beam) {
  return (beam == "fan" ? 2.0 : 1.0) * std::numbers::pi;
}

// COUNT over the default range, FIRST:LAST:COUNT without LAST, or a file.
std::vector<double> read_angles(const std::string& text, const std::string& unit_name,
                                const std::string& beam) {
  const double unit = unit_name == "radians" ? 1.0 : std::numbers::pi / 180.0;
  const std::string expected = "COUNT, FIRST:LAST:COUNT or a file";
  double alone = 0.0;
  if (detail::parse_into(std::string_view(text), alone))
    return read_angles(fmt::format("0:{}:{}", default_range(beam) / unit, text), unit_name, beam);
  const auto parts = split(text, ':');
  if (parts.size() != 3) {
    auto values = read_values(text);
    for (double& v : values) v *= unit;
    return values;
  }
  const double first = number("--angles", parts[0], expected);
  const double last = number("--angles", parts[1], expected);
  const double count = number("--angles", parts[2], expected);
  if (!(count >= 1.0) || count > 1e7 || count != static_cast<double>(static_cast<Index>(count)))
    refuse_value("--angles", "the value does not fit the option", "'" + text + "'",
                 "a whole COUNT of at least 1");
  std::vector<double> out;
  for (Index k = 0; k < static_cast<Index>(count); ++k)
    out.push_back(unit * (first + (last - first) * static_cast<double>(k) / count));
  return out;
}

tomography::ImageGrid read_size(const ScanOptions& options, Index detectors, Index bin) {
  const double pixel = options.pixel.value_or(static_cast<double>(bin));
  if (!options.size) return {detectors, detectors, pixel};
  const auto parts = split(*options.size, 'x');
  const std::string expected = "N or ROWSxCOLS";
  Index sides[2] = {0, 0};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string& text = parts[parts.size() == 1 ? 0 : k];
    if (parts.size() > 2 || !detail::parse_into(std::string_view(text), sides[k]))
      refuse_value("--size", "the value does not fit the option", "'" + *options.size + "'",
                   expected);
  }
  return {sides[0], sides[1], pixel};
}

std::optional<double> read_center(const ScanOptions& options, const ScanFacts& facts) {
  if (options.offset && options.center)
    refuse_value("--center", "the axis is given twice", "--offset and --center", "one of them");
  if (!options.center) return std::nullopt;
  if (*options.center != "auto")
    return number("--center", *options.center, "a number of elements, or auto");
  if (!facts.center)
    refuse_value("--center", "the axis can be found only in a scan", "'auto'",
                 "a number of elements");
  return facts.center;
}

// Offsets of the detector before binning.
std::vector<double> read_offsets(const ScanOptions& options, const ScanFacts& facts,
                                 Index detectors) {
  const auto center = read_center(options, facts);
  if (center) return {tomography::offset_of_center(*center, detectors, options.spacing)};
  if (!options.offset) return {};
  double value = 0.0;
  if (detail::parse_into(std::string_view(*options.offset), value)) return {value};
  return read_values(*options.offset);
}

}  // namespace

std::vector<double> read_values(const std::string& path) { return open_array(path)->read_all(); }

std::vector<double> default_angles() { return read_angles("0:180:180", "degrees", "parallel"); }

std::vector<double> angles_asked(const ScanOptions& options) {
  if (!options.angles) return {};
  return read_angles(*options.angles, options.angle_unit, options.beam);
}

const std::vector<OptionRecord<ScanOptions>>& scan_options() {
  using S = ScanOptions;
  static const std::vector<OptionRecord<S>> table = {
      {.name = "beam",
       .field = &S::beam,
       .value = "parallel|fan",
       .sentence = "The rays: parallel, or from a point to a flat detector."},
      {.name = "angles",
       .field = &S::angles,
       .value = "A",
       .sentence =
           "COUNT views over half a turn (a whole turn for a fan), or FIRST:LAST:COUNT, evenly "
           "spaced without LAST, or a file with one angle per view; counter-clockwise. By "
           "default those of the scan, or 0:180:180.",
       .file = FileUse::read},
      {.name = "angle-unit",
       .field = &S::angle_unit,
       .value = "degrees|radians",
       .sentence = "Unit of the angles."},
      {.name = "detectors",
       .field = &S::detectors,
       .value = "N",
       .sentence = "Elements of the detector; auto is the number in the sinogram.",
       .lowest = 0},
      {.name = "spacing",
       .field = &S::spacing,
       .value = "L",
       .sentence = "Distance from one detector element to the next.",
       .lowest = 0},
      {.name = "offset",
       .field = &S::offset,
       .value = "L",
       .sentence = "Added to every element's position: a number, or a file with one per view."},
      {.name = "center",
       .field = &S::center,
       .value = "C",
       .sentence =
           "Alternative to --offset: position of the axis on the detector, in elements from its "
           "edge; auto finds it in a parallel scan over half a turn or more."},
      {.name = "source-distance",
       .field = &S::source_distance,
       .value = "L",
       .sentence = "For a fan: distance from the source to the axis.",
       .lowest = 0},
      {.name = "detector-distance",
       .field = &S::detector_distance,
       .value = "L",
       .sentence = "For a fan: distance from the axis to the detector.",
       .lowest = 0},
      {.name = "size",
       .field = &S::size,
       .value = "N",
       .sentence = "Pixels of the image: N or ROWSxCOLS; by default as many as elements."},
      {.name = "pixel",
       .field = &S::pixel,
       .value = "L",
       .sentence = "Side of a pixel; auto is 1, or N with --bin N.",
       .lowest = 0},
      {.name = "projector",
       .field = &S::projector,
       .value = "line|linear|strip",
       .sentence =
           "Weight of a pixel for a ray: its chord (line), Joseph's interpolation (linear), or the "
           "area shared with the strip of the element (strip)."},
  };
  return table;
}

tomography::Geometry make_geometry(const ScanOptions& options, Index detectors) {
  return make_geometry(
      options,
      ScanFacts{.detectors = detectors, .angles = angles_asked(options), .bin = 1, .center = {}});
}

// N elements joined into one are N times as wide. A remainder of fewer than N elements is
// dropped, which moves the middle of the detector but not the axis.
tomography::Geometry make_geometry(const ScanOptions& options, const ScanFacts& facts) {
  tomography::Geometry g;
  g.beam = options.beam == "fan" ? tomography::Beam::fan : tomography::Beam::parallel;
  const bool fan = g.beam == tomography::Beam::fan;
  if (!fan && (options.source_distance > 0.0 || options.detector_distance > 0.0))
    refuse_value("--source-distance", "parallel rays have no source", "--beam parallel",
                 "--beam fan");
  g.angles = facts.angles.empty() ? default_angles() : facts.angles;
  const Index elements = options.detectors.value_or(facts.detectors), bin = facts.bin;
  g.detectors = elements / bin;
  g.spacing = options.spacing * static_cast<double>(bin);
  g.offsets = read_offsets(options, facts, elements);
  if (elements % bin != 0 && g.offsets.empty()) g.offsets = {0.0};
  for (double& offset : g.offsets)
    offset -= 0.5 * static_cast<double>(elements % bin) * options.spacing;
  g.source_distance = options.source_distance;
  g.detector_distance = options.detector_distance;
  g.image = read_size(options, g.detectors, bin);
  tomography::check(g);
  return g;
}

}  // namespace polyak::cli
