#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/io.hpp"
#include "tomography/tomography.hpp"

namespace polyak::cli {
namespace {

const char* const tomography_help = R"(From a scan to an image.

Usage: polyak tomography matrix --angles A --detectors N --size N --output A.mtx
       polyak tomography project IMAGE --angles A --detectors N --output sinogram.npy
       polyak tomography reconstruct SINOGRAM --angles A --output image.png

  matrix       write the matrix of a scan: one row per ray, one column per pixel
  project      make the sinogram of an image, or of a built-in phantom
  reconstruct  make an image of a sinogram

polyak tomography COMMAND --help explains each.

A first try:
  polyak tomography project walnut --finer 4 --size 128 --angles 180 --detectors 182 \
    --photons 1e5 --attenuation 0.02 --output sinogram.npy
  polyak tomography reconstruct sinogram.npy --size 128 --angles 180 --output walnut.png

Limits: two dimensions (a stack of slices shares one geometry), no cone beam.
)";

struct MatrixRequest {
  std::optional<std::string> output, report;
  Index threads = 0;
};

const std::vector<OptionRecord<MatrixRequest>>& matrix_command_options() {
  using M = MatrixRequest;
  static const std::vector<OptionRecord<M>> table = {
      {.name = "output",
       .field = &M::output,
       .value = "FILE",
       .sentence = "Write the matrix here: .mtx, .mtx.gz, .svm, .npz (CSR for SciPy), or a dense "
                   ".npy or .csv.",
       .file = FileUse::written},
      {.name = "report",
       .field = &M::report,
       .value = "FILE.json",
       .sentence = "Write the counts of rays here, as JSON.",
       .file = FileUse::written},
      {.name = "threads",
       .field = &M::threads,
       .value = "N",
       .sentence = "Threads; 0 means all cores. The result does not depend on it.",
       .lowest = 0,
       .highest = 4096},
  };
  return table;
}

Usage matrix_usage() {
  return {.command = "tomography matrix",
          .positionals = {},
          .required = 0,
          .text = R"(Write the matrix of a scan, and count its rays.

Usage: polyak tomography matrix --angles A --detectors N --size N [options]

Row r = view * detectors + element; column c = row * cols + col of the pixel,
row 0 at the top. Without --output it only counts the rays.
)",
          .ending = R"(
Example:
  polyak tomography matrix --angles 0:360:720 --detectors 128 --size 64 --output A.mtx
  polyak tomography matrix --angles 0:180:180 --detectors 182 --size 128 --output A.npz
)"};
}

bool ends_in_npz(std::string path) {
  for (char& c : path) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return path.ends_with(".npz");
}

}  // namespace

int tomography_command(const Words& words, Messages& messages) {
  const std::string first = words.empty() ? "" : words[0];
  if (first == "--help" || first == "-h") return print(tomography_help), 0;
  const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (first == "matrix") return tomography_matrix(rest, messages);
  if (first == "project") return tomography_project(rest, messages);
  if (first == "reconstruct") return tomography_reconstruct(rest, messages);
  const std::string near = nearest(first, {"matrix", "project", "reconstruct"});
  throw Error(ErrorCode::usage, {.what = first.empty() ? "a tomography command is missing"
                                                       : "there is no such tomography command",
                                 .where = "tomography",
                                 .found = first.empty() ? "" : "'" + first + "'",
                                 .expected = "matrix, project or reconstruct",
                                 .hint = near.empty() ? "see polyak tomography --help"
                                                      : "did you mean " + near + "?"});
}

int tomography_matrix(const Words& words, Messages& messages) {
  ScanOptions scan;
  MatrixRequest request;
  MessageOptions message;
  OptionSet options;
  options.add("Scan", scan_options(), scan);
  options.add("Output", matrix_command_options(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, matrix_usage());
  if (parsed.help) return print(help_text(matrix_usage(), options)), 0;
  messages.configure(message);
  if (request.output)
    check_output("--output", *request.output, {".mtx", ".mtx.gz", ".svm", ".npz", ".npy", ".csv"});
  if (request.report) check_output("--report", *request.report);
  const auto geometry = make_geometry(scan, 0);
  const auto model = tomography::ray_model_named(scan.projector);
  const int threads = static_cast<int>(request.threads);
  const auto counts = tomography::count_rays(geometry, model, threads);
  if (request.output) {
    with_memory_for(fmt::format("a matrix of {} entries", counts.nonzeros), [&] {
      const auto A = tomography::system_matrix(geometry, model, threads);
      ends_in_npz(*request.output) ? write_npz(*request.output, *A)
                                   : write_matrix(*request.output, *A);
    });
  }
  const nlohmann::ordered_json json{{"rows", counts.rays},
                                    {"cols", geometry.image.size()},
                                    {"nonzeros", counts.nonzeros},
                                    {"zero_rays", counts.zero},
                                    {"duplicate_rays", counts.duplicate}};
  if (request.report) write_text(*request.report, json.dump(2) + "\n");
  if (messages.quiet() || request.output == "-" || request.report == "-") return 0;
  if (messages.json()) return print(json.dump(2) + "\n"), 0;
  print(fmt::format("{} x {}, {} entries; {} of the rays meet no pixel, {} repeat an earlier one\n",
                    counts.rays, geometry.image.size(), counts.nonzeros, counts.zero,
                    counts.duplicate));
  return 0;
}

}  // namespace polyak::cli
