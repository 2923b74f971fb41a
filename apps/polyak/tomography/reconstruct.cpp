#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/memory.hpp"
#include "cli/options.hpp"
#include "cli/stopping.hpp"
#include "polyak/images.hpp"
#include "polyak/io.hpp"
#include "solve/observers.hpp"
#include "tomography/tomography.hpp"

namespace polyak::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string report_json(const LoadedScan& scan, const tomography::Reconstruction& result) {
  Json json = Json::parse(to_json(result.report));
  const auto& g = scan.geometry;
  Json own{{"views", g.views()},
           {"detectors", g.detectors},
           {"image_rows", g.image.rows},
           {"image_cols", g.image.cols},
           {"pixel", g.image.pixel},
           {"masked_rays", scan.masked},
           {"zero_rays", result.report.zero_rows},
           {"zero_rays_with_data", result.unseen_with_data},
           {"slice_groups", result.groups}};
  if (scan.center) own["center"] = *scan.center;
  if (result.lambda_max) own["lambda_max_bound"] = *result.lambda_max;
  if (result.kappa_covered) own["kappa_covered"] = *result.kappa_covered;
  if (result.b_star) own["b_star"] = *result.b_star;
  if (result.smoothing) own["smoothing"] = *result.smoothing;
  if (result.noise) own["noise"] = *result.noise;
  if (result.held_out > 0) own["held_out_rays"] = result.held_out;
  if (result.smoothing) own["kept_positive"] = result.kept_positive;
  json["tomography"] = own;
  return json.dump(2) + "\n";
}

std::string summary(const tomography::Reconstruction& result) {
  const Report& r = result.report;
  std::string text =
      fmt::format("{}: {} after {} iterations, {:.4g} passes, {:.3g} s\n  {}\n", r.method,
                  to_string(r.status), r.iterations, r.passes, r.seconds.total, r.reason);
  if (r.relative_residual)
    text += fmt::format("  relative residual {:.3e}\n", *r.relative_residual);
  if (r.error) text += fmt::format("  relative error {:.3e}\n", *r.error);
  if (result.noise)
    text += fmt::format("  noise of a ray, from held-out rays: {:.3g}\n", *result.noise);
  if (r.used.batch && r.used.step_size)
    text += fmt::format("  batches of {}, {} sampling, step {:.3e}, momentum {:.4f}\n",
                        *r.used.batch, r.used.sampling.value_or("no"), *r.used.step_size,
                        r.used.momentum.value_or(0.0));
  if (result.kappa_covered)
    text += fmt::format(
        "  eigenvalues down to lambda_max/{:.3g} converge at the full rate; "
        "B* of these parameters is {:.3g}\n",
        *result.kappa_covered, result.b_star.value_or(0.0));
  if (result.groups > 1)
    text += fmt::format("  {} slices in {} groups\n", r.right_hand_sides, result.groups);
  return text;
}

// Writes images, report, history and page, and prints a summary.
void write_reconstruction(const ReconstructRequest& request, const LoadedScan& scan,
                          const tomography::Reconstruction& result, Messages& messages) {
  const ImageOutputs& out = request.outputs;
  const auto& g = scan.geometry;
  const Index slices = std::ssize(result.images) / g.image.size();
  const ImageOptions style{.pixel = g.image.pixel, .black = {}, .white = {}};
  if (out.output)
    write_image(*out.output,
                {result.images.data(), slices * g.image.rows, g.image.cols, g.image.cols}, style,
                slices);
  if (out.residual)
    write_image(*out.residual,
                {result.residual.data(), slices * g.views(), g.detectors, g.detectors}, {}, slices);
  if (out.history) write_text(*out.history, history_csv(result.report.history));
  if (out.page) write_text(*out.page, tomography::reconstruction_page(g, result, request.sinogram));
  if (out.report) write_text(*out.report, report_json(scan, result));
  for (const std::string& warning : result.report.warnings) messages.warning(warning);
  for (const auto& path : {out.output, out.report, out.history, out.page})
    if (path == "-") return;
  if (messages.quiet()) return;
  print_summary(messages.json() ? report_json(scan, result) : summary(result));
}

Usage reconstruct_usage() {
  return {.command = "tomography reconstruct",
          .positionals = {"SINOGRAM"},
          .required = 1,
          .text =
              R"(Make an image of a sinogram. By default the smoothness of the image is chosen by
cross-validation: held-out rays are predicted from the others.

Usage: polyak tomography reconstruct SINOGRAM --output FILE [options]

SINOGRAM is a file of views x detectors: .npy, .csv, .mtx, .tif, .mat, .h5, or a
scan in the layout of Data Exchange or NXtomo (.h5, .nxs), which has its own angles,
flat and dark fields. Several slices of one geometry are below each other, or a
third dimension; they are solved in groups that fit into --memory.
)",
          .ending = R"(
Methods: auto and tv (least squares with a penalty on the image's total variation),
those of polyak solve that suit images, kaczmarz (another name for rk), and sirt,
sart, fbp. If no option says when to stop, tv chooses its smoothing by held-out rays,
and the others stop at the noise that is estimated from held-out rays.

Exit code: 0 the residual has reached the noise or the image has converged, 3 a
limit or a plateau was reached (the image is written), 4 diverged, 75 stopped and
saved by --checkpoint, 2 wrong usage, 65 bad data, 66 no such file, 74 writing failed.

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

// "out/image.png" and 50 become "out/image-50.png", or "out/image-50-slice12.png" if the
// slices are solved in groups.
std::string numbered(const std::string& path, Index iteration, std::optional<Index> slice) {
  const auto dot = path.rfind('.');
  const std::string which = slice ? fmt::format("-slice{}", *slice) : "";
  return fmt::format("{}-{}{}{}", path.substr(0, dot), iteration, which, path.substr(dot));
}

void write_intermediate_images(ReconstructRequest& request, const LoadedScan& scan) {
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

// The watchdog ends the run in the middle of a step: writes the last measured image, and the
// outputs that need no more computing.
int finish_in_step(const ReconstructRequest& asked, const LoadedScan& scan, const RunRecord& record,
                   const Checkpointing& saver, Status status, Messages& messages) {
  ReconstructRequest request = asked;
  tomography::Reconstruction result;
  result.report = record.report(status, asked.options.time_limit_s);
  result.report.method = asked.options.method;
  result.report.rows = scan.geometry.rays();
  result.report.cols = scan.geometry.image.size();
  result.report.seed = asked.options.seed;
  result.images = record.x();
  if (!record.has_x()) {
    request.outputs.output.reset();
    result.report.warnings.emplace_back("no image is written: there is none yet");
  }
  if (request.outputs.residual || request.outputs.page)
    result.report.warnings.emplace_back(
        "--residual and --page are not written: they need more time");
  request.outputs.residual.reset();
  request.outputs.page.reset();
  write_reconstruction(request, scan, result, messages);
  return saver.exit_code_in_step(status);
}

}  // namespace

int tomography_reconstruct(const Words& words, Messages& messages) {
  ReconstructRequest request;
  const OptionSet options = reconstruct_option_set(request);
  const Parsed parsed = parse(words, options, reconstruct_usage());
  if (parsed.help) return print(help_text(reconstruct_usage(), options)), 0;
  messages.configure(request.messages);
  request.sinogram = parsed.positionals[0];
  check_request(request);
  Watchdog watchdog(request.options.time_limit_s, messages);
  watchdog.set_phase("reading " + request.sinogram);
  const LoadedScan scan =
      with_memory_for(request.sinogram, [&] { return load_scan(request, messages); });
  request.options.projector = request.scan.projector;
  write_intermediate_images(request, scan);
  messages.status("preparing");
  watchdog.set_phase("preparing");
  catch_signals(messages.live());
  Progress progress(messages, scan.geometry.rays());
  Checkpointing saver(
      request.checkpoint, [&] { return fingerprint(request, scan); }, progress, messages);
  RunRecord record(saver, watchdog.mutex(), KeptIterate::latest);
  request.options.time_spent_s = watchdog.seconds();  // before the watchdog may read them
  const auto guard = watchdog.finish_with([&](Status status) {
    return finish_in_step(request, scan, record, saver, status, messages);
  });
  const auto result = with_memory_for("the image", [&] {
    return tomography::reconstruct(scan.geometry, scan.sinograms, request.options, &record,
                                   scan.reference, saver.resumed());
  });
  check_inputs_unchanged();
  watchdog.begin_writing();
  messages.status("");
  write_reconstruction(request, scan, result, messages);
  if (saver.failure()) throw *saver.failure();
  return saver.exit_code(result.report.status);
}

}  // namespace polyak::cli
