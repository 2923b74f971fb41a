#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "memory.hpp"
#include "output_paths.hpp"
#include "polyak/io.hpp"
#include "tomography_commands.hpp"
#include "tomography_scan.hpp"

namespace polyak::cli {
namespace {

struct MatrixRequest {
  std::optional<std::string> output, report;
  Index threads = 0;
};

const std::vector<OptionRecord<MatrixRequest>>& options_table() {
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
       .sentence = "Threads; 0 takes all cores. The result does not depend on it.",
       .lowest = 0,
       .highest = 4096},
  };
  return table;
}

Usage usage() {
  return {.command = "tomography matrix",
          .positionals = {},
          .required = 0,
          .text = R"(Write the matrix of a scan, and count its rays.

Usage: polyak tomography matrix --angles A --detectors N --size N [options]

Row r = view * detectors + element; column c = row * cols + col of the pixel,
row 0 at the top. Without --output it only counts.
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

int tomography_matrix(const Words& words, Messages& messages) {
  ScanOptions scan;
  MatrixRequest request;
  MessageOptions message;
  OptionSet options;
  options.add("Scan", scan_options(), scan);
  options.add("Output", options_table(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, usage());
  if (parsed.help) return print(help_text(usage(), options)), 0;
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
