#include <fmt/format.h>

#include "command_line.hpp"
#include "known_so_far.hpp"
#include "memory.hpp"
#include "polyak/images.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "stop_in_time.hpp"
#include "tomography_commands.hpp"
#include "tomography_request.hpp"

namespace polyak::cli {
namespace {

Usage usage() {
  return {.command = "tomography reconstruct",
          .positionals = {"SINOGRAM"},
          .required = 1,
          .text = R"(Make an image of a sinogram. Told nothing else, the smoothness of the image is chosen
by cross-validation: rays that are held out are predicted from the others.

Usage: polyak tomography reconstruct SINOGRAM --output FILE [options]

SINOGRAM is a file of views x detectors: .npy, .csv, .mtx, .tif, .mat, .h5, or a
scan in the layout of Data Exchange or NXtomo (.h5, .nxs), which brings its angles,
flat and dark fields. Several slices of one geometry stand below each other, or are
a third dimension; they are solved in groups that fit into --memory.
)",
          .ending = R"(
Methods: auto and tv (least squares with a penalty on the image's total variation),
those of polyak solve that suit images, kaczmarz (another name for rk), and sirt,
sart, fbp. Where nothing says when to stop, tv chooses its smoothing by rays that
are held out, and the others stop at the noise that is estimated that way.

Exit code: 0 the image is down to the noise or has settled, 3 a limit or a plateau
was reached (the image is written), 4 diverged, 75 stopped and saved by
--checkpoint, 2 wrong usage, 65 bad data, 66 no such file, 74 writing failed.

Examples:
  polyak tomography project walnut --finer 4 --size 128 --detectors 182 --photons 1e5 \
    --attenuation 0.02 --output s.npy
  polyak tomography reconstruct s.npy --size 128 --output walnut.png
  polyak tomography reconstruct s.npy --size 128 --method sirt --lower 0 \
    --max-iterations 100 --output walnut.tif
  polyak tomography reconstruct s.npy --size 128 --output walnut.npy --page walnut.html
  polyak tomography reconstruct scan.h5 --slices 0:1 --center auto --method sart \
    --lower 0 --max-passes 2 --output slice.tif
)"};
}

// "out/image.png" and 50 become "out/image-50.png", or "out/image-50-slice12.png"
// where slices come in groups.
std::string numbered(const std::string& path, Index iteration, std::optional<Index> slice) {
  const auto dot = path.rfind('.');
  const std::string which = slice ? fmt::format("-slice{}", *slice) : "";
  return fmt::format("{}-{}{}{}", path.substr(0, dot), iteration, which, path.substr(dot));
}

void write_on_the_way(ReconstructRequest& request, const LoadedScan& scan) {
  if (!request.outputs.images) return;
  request.options.on_image = [&](Index iteration, const std::vector<double>& images, Index first) {
    const auto& image = scan.geometry.image;
    const Index slices = std::ssize(images) / image.size();
    const bool all = slices == std::ssize(scan.sinograms) / scan.geometry.rays();
    const auto slice = all ? std::nullopt : std::optional(first);
    write_image(numbered(*request.outputs.images, iteration, slice),
                {images.data(), slices * image.rows, image.cols, image.cols},
                {.pixel = image.pixel, .black = {}, .white = {}}, slices);
  };
}

// The run does not come to its end in time: the image as it was last measured, and what needs
// no more work.
int wind_up(const ReconstructRequest& asked, const LoadedScan& scan, const KnownSoFar& known,
            const Checkpointing& saver, Status status, Messages& messages) {
  ReconstructRequest request = asked;
  tomography::Reconstruction result;
  result.report = known.report(status, asked.options.time_limit_s);
  result.report.method = asked.options.method;
  result.report.rows = scan.geometry.rays();
  result.report.cols = scan.geometry.image.size();
  result.report.seed = asked.options.seed;
  result.images = known.x();
  if (!known.measured_any()) {
    request.outputs.output.reset();
    result.report.warnings.emplace_back("no image is written: there is none yet");
  }
  if (request.outputs.residual || request.outputs.page)
    result.report.warnings.emplace_back("--residual and --page would take more time: not written");
  request.outputs.residual.reset();
  request.outputs.page.reset();
  write_reconstruction(request, scan, result, messages);
  return saver.code_without_end(status);
}

}  // namespace

int tomography_reconstruct(const Words& words, Messages& messages) {
  ReconstructRequest request;
  const OptionSet options = reconstruct_option_set(request);
  const Parsed parsed = parse(words, options, usage());
  if (parsed.help) return print(help_text(usage(), options)), 0;
  messages.configure(request.messages);
  request.sinogram = parsed.positionals[0];
  check_request(request);
  StopInTime in_time(request.options.time_limit_s, messages);
  in_time.in_phase("reading " + request.sinogram);
  const LoadedScan scan =
      with_memory_for(request.sinogram, [&] { return load_scan(request, messages); });
  request.options.projector = request.scan.projector;
  write_on_the_way(request, scan);
  messages.status("preparing");
  in_time.in_phase("preparing");
  catch_signals(messages.live());
  Progress progress(messages, scan.geometry.rays());
  Checkpointing saver(request.checkpoint, [&] { return fingerprint(request, scan); }, progress,
                      messages);
  KnownSoFar known(saver, in_time.turn(), Keep::latest);
  const auto watch = in_time.wind_up_by([&](Status status) {
    return wind_up(request, scan, known, saver, status, messages);
  });
  request.options.time_spent_s = in_time.seconds();
  const auto result = with_memory_for("the image", [&] {
    return tomography::reconstruct(scan.geometry, scan.sinograms, request.options, &known,
                                   scan.reference, saver.start());
  });
  in_time.stand_down();
  messages.status("");
  write_reconstruction(request, scan, result, messages);
  if (saver.failure()) throw *saver.failure();
  return saver.exit_code(result.report.status);
}

}  // namespace polyak::cli
