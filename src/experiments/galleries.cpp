// What was planted, and what each series has made of it at the end.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "experiments/outputs.hpp"
#include "experiments/scan.hpp"

namespace polyak::experiments {
namespace {

// Letters, digits and dots of a label, as part of a file name.
std::string plain(const std::string& label) {
  std::string out;
  for (const char c : label) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (kept || (c >= 'A' && c <= 'Z'))
      out += kept ? c : static_cast<char>(c - 'A' + 'a');
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-') || out.ends_with('.')) out.pop_back();
  return out;
}

// Each pixel as a square of several, so that small images can be seen in a viewer.
Array enlarged(const std::vector<double>& pixels, Index size) {
  const Index times = std::max<Index>(1, 256 / size), side = times * size;
  std::vector<double> out;
  out.reserve(to_size(side * side));
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) out.push_back(pixels[to_size(i / times * size + j / times)]);
  return Array(std::move(out), side, side);
}

double distance(const std::vector<double>& x, const std::vector<double>& planted) {
  double away = 0.0, whole = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    away += (x[i] - planted[i]) * (x[i] - planted[i]);
    whole += planted[i] * planted[i];
  }
  return std::sqrt(away / whole);
}

// How long those with images ran, where that is one number for all.
std::optional<Index> common_steps(const PanelResult& panel) {
  std::optional<Index> out;
  for (const Series& s : panel.series) {
    if (s.result.image.empty()) continue;
    const Index steps = s.result.iterations.back();
    if (out && *out != steps) return {};
    out = steps;
  }
  return out;
}

std::string told(const Series& s, double error, bool with_steps) {
  std::string out =
      s.result.batch ? fmt::format("{} rows a step", *s.result.batch) : "all rows each step";
  if (with_steps) out += fmt::format(", {} steps", s.result.iterations.back());
  return out + fmt::format(", error {:.3g}", error);
}

Gallery gallery_of(const PanelResult& panel, const std::string& prefix) {
  const std::vector<double> planted = planted_image(panel.spec->problem);
  const Index size = panel.spec->problem.scan.size;
  const auto steps = common_steps(panel);
  Gallery out;
  out.title = panel.spec->title + ": images " +
              (steps ? fmt::format("after {} steps", *steps) : "at the end of each run");
  const auto [least, most] = std::minmax_element(planted.begin(), planted.end());
  out.black = *least;
  out.white = *most > *least ? *most : *least + 1.0;
  const auto add = [&](const std::string& caption, const std::string& detail,
                       const std::vector<double>& pixels) {
    const std::string file = fmt::format("{}-{}-{}.png", prefix, out.images.size(), plain(caption));
    out.images.push_back({file, caption, detail, enlarged(pixels, size)});
  };
  for (const Series& s : panel.series) {
    if (s.result.image.size() != planted.size()) continue;
    if (out.images.empty()) add("planted", fmt::format("{0} × {0} pixels", size), planted);
    add(s.legend, told(s, distance(s.result.image, planted), !steps), s.result.image);
  }
  return out;
}

}  // namespace

std::vector<Gallery> galleries_of(const Figure& figure) {
  std::vector<Gallery> out;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const PanelResult& panel = figure.panels[p];
    if (panel.spec->problem.kind != "tomography") continue;
    Gallery one = gallery_of(panel, fmt::format("{}-{}", figure.spec.name, p + 1));
    if (!one.images.empty()) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace polyak::experiments
