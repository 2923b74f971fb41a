#include <fmt/format.h>

#include <cmath>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "cli/options.hpp"
#include "polyak/images.hpp"
#include "polyak/io.hpp"
#include "polyak/tomography_phantom.hpp"
#include "tomography/tomography.hpp"

namespace polyak::cli {
namespace {

using namespace tomography;

struct ProjectRequest {
  std::string image;
  std::optional<std::string> output, save_image;
  bool exact = false;
  Index finer = 1;
  double noise = 0.0;
  std::optional<double> photons;
  double attenuation = 1.0;
  std::uint64_t seed = 0;
  Index threads = 0;
};

const std::vector<OptionRecord<ProjectRequest>>& project_command_options() {
  using P = ProjectRequest;
  static const std::vector<OptionRecord<P>> table = {
      {.name = "output",
       .field = &P::output,
       .value = "FILE",
       .sentence = "Write the sinogram here: .npy, .tif, .png, .csv, .mtx.",
       .file = FileUse::written},
      {.name = "save-image",
       .field = &P::save_image,
       .value = "FILE",
       .sentence = "Write the image too.",
       .file = FileUse::written},
      {.name = "exact",
       .field = &P::exact,
       .value = "",
       .sentence =
           "Use the exact line integrals of the phantom, not of its pixels (not for walnut)."},
      {.name = "finer",
       .field = &P::finer,
       .value = "K",
       .sentence =
           "Draw the phantom on a grid K times finer and average K rays over each element, "
           "so that the data are not made by the same rays as the reconstruction; 4 is usual.",
       .lowest = 1,
       .highest = 64},
      {.name = "noise",
       .field = &P::noise,
       .value = "SIGMA",
       .sentence = "Add normal noise of this standard deviation.",
       .lowest = 0},
      {.name = "photons",
       .field = &P::photons,
       .value = "N",
       .sentence = "Add Poisson noise: N is the number of photons of a ray that meets nothing.",
       .lowest = 0,
       .open_below = true},
      {.name = "attenuation",
       .field = &P::attenuation,
       .value = "M",
       .sentence = "Factor of the sinogram's values in exp(-M value), with --photons.",
       .lowest = 0,
       .open_below = true},
      {.name = "seed",
       .field = &P::seed,
       .value = "N",
       .sentence = "Seed of noise and walnut; the same seed gives the same bits."},
      {.name = "threads",
       .field = &P::threads,
       .value = "N",
       .sentence = "Threads; 0 means all cores. The result does not depend on it.",
       .lowest = 0,
       .highest = 4096},
  };
  return table;
}

Usage project_usage() {
  return {.command = "tomography project",
          .positionals = {"IMAGE"},
          .required = 1,
          .text = R"(Make the sinogram of an image: views x detectors.

Usage: polyak tomography project IMAGE --detectors N --output FILE [options]

IMAGE is shepp-logan, disc, rectangle, walnut or shapes (in --size; the last two depend
on --seed), or a file.
)",
          .ending = R"(
Example:
  polyak tomography project walnut --finer 4 --size 128 --detectors 182 --photons 1e5 \
    --attenuation 0.02 --output sinogram.npy --save-image walnut.npy
)"};
}

std::optional<Phantom> phantom_named(const std::string& name, std::uint64_t seed) {
  if (name == "shapes") return random_shapes(seed);
  if (name == "shepp-logan") return shepp_logan();
  if (name == "disc") return disc();
  if (name == "rectangle") return rectangle();
  return std::nullopt;
}

struct Source {
  std::optional<Phantom> phantom;
  std::vector<double> pixels;
};

// A file has its own size; a phantom is drawn in the size of --size.
Source load(const ProjectRequest& request, ScanOptions& scan) {
  Source out{phantom_named(request.image, request.seed), {}};
  if (out.phantom || request.image == "walnut") return out;
  const Array image = read_array(request.image);
  if (!scan.size) scan.size = fmt::format("{}x{}", image.rows(), image.cols());
  if (request.finer > 1)
    throw Error(ErrorCode::usage,
                {.what = "an image file cannot be drawn on a finer grid",
                 .where = "--finer",
                 .found = "'" + request.image + "'",
                 .expected = "a phantom",
                 .hint = "--pixel 0.25 makes its pixels finer than the elements"});
  out.pixels = read_values(request.image);
  return out;
}

void check_pixels(const Source& source, const Geometry& g, const std::string& name) {
  if (source.pixels.empty() || std::ssize(source.pixels) == g.image.size()) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the image does not have the size asked for",
               .where = name,
               .found = fmt::format("{} pixels", source.pixels.size()),
               .expected = fmt::format("{} x {}", g.image.rows, g.image.cols)});
}

void check_request(const ProjectRequest& request) {
  if (!request.output)
    throw Error(ErrorCode::usage, {.what = "the file to write to is missing",
                                   .where = "--output",
                                   .found = {},
                                   .expected = "FILE"});
  const auto endings = {".npy", ".tif", ".tiff", ".png", ".csv", ".mtx"};
  check_output("--output", *request.output, endings);
  if (request.save_image) check_output("--save-image", *request.save_image, endings);
  if (request.exact && request.finer > 1)
    throw Error(ErrorCode::usage, {.what = "exact integrals do not use a grid",
                                   .where = "--finer",
                                   .found = "--exact",
                                   .expected = "one of them"});
  if (request.exact && !phantom_named(request.image, request.seed))
    throw Error(ErrorCode::usage, {.what = "only phantoms of simple shapes have exact integrals",
                                   .where = "--exact",
                                   .found = "'" + request.image + "'",
                                   .expected = "shepp-logan, disc, rectangle or shapes"});
  if (request.photons && request.noise > 0.0)
    throw Error(ErrorCode::usage, {.what = "noise is given twice", .where = "--noise, --photons"});
}

// The image on the grid that is projected.
std::vector<double> draw_image(const ProjectRequest& request, const Geometry& g,
                               const Source& source) {
  if (!source.pixels.empty()) return source.pixels;
  const ImageGrid grid = finer_grid(g.image, request.finer);
  return source.phantom ? draw(*source.phantom, grid) : draw_walnut(grid, request.seed);
}

std::vector<double> project(const ProjectRequest& request, const Geometry& g, RayModel model,
                            const Source& source, const std::vector<double>& image) {
  if (request.exact) return exact_projections(*source.phantom, g);
  return finer_projections(g, model, image, request.finer, static_cast<int>(request.threads));
}

}  // namespace

int tomography_project(const Words& words, Messages& messages) {
  ScanOptions scan;
  ProjectRequest request;
  MessageOptions message;
  OptionSet options;
  options.add("Scan", scan_options(), scan);
  options.add("Image and noise", project_command_options(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, project_usage());
  if (parsed.help) return print(help_text(project_usage(), options)), 0;
  messages.configure(message);
  request.image = parsed.positionals[0];
  check_request(request);
  const Source source = load(request, scan);
  const Geometry g = make_geometry(scan, 0);
  check_pixels(source, g, request.image);
  auto image = draw_image(request, g, source);
  auto sinogram = project(request, g, ray_model_named(scan.projector), source, image);
  if (request.noise > 0.0) add_gaussian_noise(sinogram, request.noise, request.seed);
  if (request.photons)
    add_poisson_noise(sinogram, *request.photons, request.attenuation, request.seed);
  write_image(*request.output, {sinogram.data(), g.views(), g.detectors, g.detectors});
  if (request.save_image && request.finer > 1) image = coarser(image, g.image, request.finer);
  if (request.save_image)
    write_image(*request.save_image, {image.data(), g.image.rows, g.image.cols, g.image.cols},
                {.pixel = g.image.pixel, .black = {}, .white = {}});
  if (!messages.quiet() && !messages.json() && *request.output != "-")
    print_summary(
        fmt::format("Wrote {}: {} views x {} elements\n", *request.output, g.views(), g.detectors));
  return 0;
}

}  // namespace polyak::cli
