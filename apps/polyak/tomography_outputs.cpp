#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "polyak/images.hpp"
#include "polyak/io.hpp"
#include "tomography_request.hpp"

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
    text += fmt::format("  noise of a ray, as held-out rays show it: {:.3g}\n", *result.noise);
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

}  // namespace

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
  print(messages.json() ? report_json(scan, result) : summary(result));
}

}  // namespace polyak::cli
