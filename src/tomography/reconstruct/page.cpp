#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/image.hpp"
#include "page/chart.hpp"
#include "page/html.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "polyak/version.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

using page::Row;

constexpr Index max_shown_slices = 6;  // in the page

std::string base64(std::string_view bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t there = std::min<std::size_t>(3, bytes.size() - k);
    unsigned group = 0;
    for (std::size_t l = 0; l < 3; ++l)
      group = group << 8 | (l < there ? static_cast<unsigned char>(bytes[k + l]) : 0u);
    for (std::size_t l = 0; l < 4; ++l)
      out += l <= there ? letters[group >> (18 - 6 * l) & 63u] : '=';
  }
  return out;
}

// A grey-scale picture with its scale below.
std::string figure(ConstView values, double black, double white, const std::string& title) {
  const std::string png =
      io::encode_png(values, {.pixel = 1.0, .black = black, .white = white}, title);
  return fmt::format(
      "<figure style=\"flex:1 1 15rem;max-width:34rem;margin:0\">"
      "<img alt=\"{0}\" width=\"{1}\" height=\"{2}\" src=\"data:image/png;base64,{3}\" "
      "style=\"display:block;width:100%;height:auto;image-rendering:pixelated\">"
      "<figcaption class=\"small\">{0}: black is {4:.4g} "
      "<span style=\"display:inline-block;width:6rem;height:.7rem;border:1px solid #999;"
      "background:linear-gradient(90deg,#000,#fff)\"></span> white is "
      "{5:.4g}</figcaption></figure>\n",
      page::escaped(title), values.cols, values.rows, base64(png), black, white);
}

// The figures in rows, as many as fit beside each other.
std::string side_by_side(const std::string& figures) {
  return "<div style=\"display:flex;flex-wrap:wrap;gap:1.2rem\">\n" + figures + "</div>\n";
}

// The indices of the slices in the page, evenly spaced from the first to the last.
std::vector<Index> shown_of(Index slices) {
  const Index count = std::min(slices, max_shown_slices);
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) out.push_back(count == 1 ? 0 : k * (slices - 1) / (count - 1));
  return out;
}

std::string name_of_slice(const std::string& what, Index slice, Index slices) {
  return slices == 1 ? what : fmt::format("{}, slice {} of {}", what, slice + 1, slices);
}

std::string images(const Geometry& g, const Reconstruction& result, Index slices) {
  const auto [low, high] = std::minmax_element(result.images.begin(), result.images.end());
  std::string out;
  for (Index slice : shown_of(slices))
    out += figure(
        {result.images.data() + slice * g.image.size(), g.image.rows, g.image.cols, g.image.cols},
        *low, *high, name_of_slice("Image", slice, slices));
  return side_by_side(out);
}

// Grey is zero; black and white are ∓ the largest residual.
std::string residuals(const Geometry& g, const Reconstruction& result, Index slices) {
  double largest = 0.0;
  for (double v : result.residual) largest = std::max(largest, std::abs(v));
  if (!(largest > 0.0))
    return page::paragraph("The image explains every ray: the residual is zero.");
  const std::string text = page::paragraph(
      "A times the image minus the measured sinogram, one row per view, one column per detector "
      "element. Structure beyond noise is not explained by the image.");
  std::string out;
  for (Index slice : shown_of(slices))
    out += figure({result.residual.data() + slice * g.rays(), g.views(), g.detectors, g.detectors},
                  -largest, largest, name_of_slice("Residual", slice, slices));
  return text + side_by_side(out);
}

page::Line curve(const Report& report, const std::string& label, int style,
                 const std::optional<double> Measurement::*field) {
  page::Line line;
  line.label = label;
  line.style = style;
  for (const Measurement& m : report.history) {
    const std::optional<double>& value = m.*field;
    if (!value || !(*value > 0.0)) continue;  // the axis is logarithmic
    line.x.push_back(static_cast<double>(m.row_products) / static_cast<double>(report.rows));
    line.y.push_back(*value);
  }
  return line;
}

std::string convergence(const Report& report) {
  page::Panel panel;
  for (const page::Line& line :
       {curve(report, "relative residual", 0, &Measurement::relative_residual),
        curve(report, "relative error", 1, &Measurement::error)})
    if (line.x.size() > 1) panel.lines.push_back(line);
  if (panel.lines.empty())
    return page::paragraph("The method is not iterative: there is no curve.");
  page::Chart chart;
  chart.x_label = "passes over the rays";
  chart.y_label = "relative norm";
  chart.panel_width = 420;
  chart.panel_height = 260;
  chart.panels = {panel};
  if (!page::has_gnuplot())
    return page::paragraph("The curve is not drawn: gnuplot is not installed.");
  const page::Drawing drawn = page::run_gnuplot(page::gnuplot_script(chart, page::Picture::svg));
  if (!drawn.ok) return page::paragraph("The curve is not drawn: " + drawn.message);
  return page::picture(drawn.bytes);
}

std::string scan_text(const Geometry& g) {
  return fmt::format("{} beam, {} views x {} elements {:.4g} apart; {} x {} pixels of {:.4g}",
                     g.beam == Beam::fan ? "fan" : "parallel", g.views(), g.detectors, g.spacing,
                     g.image.rows, g.image.cols, g.image.pixel);
}

std::vector<Row> facts(const Geometry& g, const Reconstruction& result, Index slices) {
  const Report& r = result.report;
  const auto& u = r.used;
  std::vector<Row> rows;
  const auto put = [&](const char* name, const std::string& value) {
    rows.push_back({name, page::escaped(value)});
  };
  const auto number = [&](const char* name, const std::optional<double>& value) {
    if (value) put(name, fmt::format("{:.6g}", *value));
  };
  put("Method", r.method);
  put("Ended", to_string(r.status) + ": " + r.reason);
  put("Work", fmt::format("{} iterations, {:.4g} passes over the rays", r.iterations, r.passes));
  if (u.batch) put("Batch", fmt::format("{} rays", *u.batch));
  if (u.sampling) put("Sampling", *u.sampling);
  number("Step", u.step_size);
  number("Momentum", u.momentum);
  if (result.kappa_covered)
    put("Spectrum covered", fmt::format("eigenvalues from lambda_max down to lambda_max/{:.3g} "
                                        "converge at the full rate",
                                        *result.kappa_covered));
  number("Smoothing", result.smoothing);
  number("Noise of a ray, estimated by held-out rays", result.noise);
  number("B* of these parameters", result.b_star);
  number("lambda_max, upper bound", result.lambda_max);
  number("Relative residual", r.relative_residual);
  number("Relative error", r.error);
  put("Seconds", fmt::format("{:.3g} set-up, {:.3g} solving, {:.3g} measuring", r.seconds.setup,
                             r.seconds.solve, r.seconds.measure));
  put("Scan", scan_text(g));
  put("Matrix", fmt::format("{}; {} x {}, {} entries", r.matrix, r.rows, r.cols, r.nnz));
  put("Rays that meet no pixel", result.unseen_with_data == 0
                                     ? fmt::format("{}", r.zero_rows)
                                     : fmt::format("{}; {} of them held a value and are left out",
                                                   r.zero_rows, result.unseen_with_data));
  if (slices > 1) put("Slices", fmt::format("{}, in {} groups", slices, result.groups));
  put("Seed, threads, vectors", fmt::format("{}, {}, {}", r.seed, r.threads, r.simd));
  put("Program", fmt::format("polyak {}, {}", build_info().version, build_info().commit));
  return rows;
}

}  // namespace

std::string reconstruction_page(const Geometry& g, const Reconstruction& result,
                                const std::string& name) {
  const Index slices = std::ssize(result.images) / g.image.size();
  std::string body = "<h1>" + page::escaped("Reconstruction of " + name) + "</h1>\n";
  for (const std::string& warning : result.report.warnings)
    body += page::paragraph("Warning: " + warning);
  body += page::section("image", "Image", images(g, result, slices));
  body += page::section(
      "facts", "How it was made",
      page::table({"What", "Value"}, facts(g, result, slices), page::Narrow::stacked));
  body += page::section("convergence", "Convergence", convergence(result.report));
  body += page::section("residual", "Residual sinogram", residuals(g, result, slices));
  return page::document("Reconstruction of " + name, body);
}

}  // namespace polyak::tomography
