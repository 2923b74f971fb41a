// The HTML page with a section for each figure, and the galleries of reconstructed images.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <optional>

#include "experiments/figure.hpp"
#include "experiments/lab.hpp"
#include "page/html.hpp"
#include "polyak/simd.hpp"
#include "polyak/version.hpp"

namespace polyak::experiments::internal {
using namespace polyak::internal;

namespace {

using page::escaped;

std::string verdict(const Claim& claim) {
  if (!claim.pass)
    return "<span class=\"na\">not applicable</span><br><span class=\"small\">" +
           escaped(claim.reason) + "</span>";
  return *claim.pass ? "<span class=\"yes\">✓ holds</span>" : "<span class=\"no\">✗ fails</span>";
}

page::Row claim_row(const Claim& claim, const std::string& first) {
  return {escaped(first), escaped(claim.expected), escaped(claim.measured), verdict(claim)};
}

struct Tally {
  int yes = 0, no = 0, none = 0;
  explicit Tally(const std::vector<Claim>& claims) {
    for (const Claim& claim : claims) (!claim.pass ? none : *claim.pass ? yes : no) += 1;
  }
  std::string text() const {
    std::string out = yes + no > 0 ? fmt::format("{} of {} hold", yes, yes + no) : "";
    if (no > 0) out += fmt::format(", {} {}", no, no == 1 ? "fails" : "fail");
    if (none > 0) out += fmt::format("{}{} not applicable", out.empty() ? "" : ", ", none);
    return out;
  }
  const char* css() const { return no > 0 ? "no" : yes > 0 ? "yes" : "na"; }
};

// A claim about several problems is one line, with the details of each problem folded below.
std::string claims_of(const std::vector<Claim>& claims) {
  std::string out;
  std::vector<page::Row> single;
  std::string folded;
  for (std::size_t i = 0; i < claims.size();) {
    std::size_t end = i + 1;
    while (end < claims.size() && claims[end].claim == claims[i].claim && !claims[i].panel.empty())
      ++end;
    if (end == i + 1) {
      single.push_back(claim_row(claims[i], claims[i].claim));
    } else {
      const std::vector<Claim> group(claims.begin() + static_cast<std::ptrdiff_t>(i),
                                     claims.begin() + static_cast<std::ptrdiff_t>(end));
      const Tally tally(group);
      std::vector<page::Row> rows;
      for (const Claim& claim : group) rows.push_back(claim_row(claim, claim.panel));
      single.push_back({escaped(claims[i].claim), "for each problem, see below", "",
                        fmt::format("<span class=\"{}\">{}</span>", tally.css(), tally.text())});
      folded += page::details(
          claims[i].claim + ": each problem",
          page::table({"problem", "expected", "measured", ""}, rows, page::Narrow::stacked));
    }
    i = end;
  }
  if (!single.empty())
    out += page::table({"claim", "expected", "measured", ""}, single, page::Narrow::stacked);
  return out + folded;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string machine() {
  const BuildInfo& build = build_info();
  return fmt::format("polyak {} ({}, {}, {}); {}, {} instructions", build.version, build.commit,
                     build.compiler, build.type, processor(), simd_target());
}

// The letters, digits and dots of a label, for a file name.
std::string file_name_part(const std::string& label) {
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

// Repeats pixels so that small images are about 256 pixels wide.
Array enlarged(const std::vector<double>& pixels, Index size) {
  const Index times = std::max<Index>(1, 256 / size), side = times * size;
  std::vector<double> out;
  out.reserve(to_size(side * side));
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) out.push_back(pixels[to_size(i / times * size + j / times)]);
  return Array(std::move(out), side, side);
}

// ‖x − planted‖ / ‖planted‖.
double relative_error(const std::vector<double>& x, const std::vector<double>& planted) {
  double error2 = 0.0, norm2 = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error2 += (x[i] - planted[i]) * (x[i] - planted[i]);
    norm2 += planted[i] * planted[i];
  }
  return std::sqrt(error2 / norm2);
}

// The number of steps of all series with images, if it is the same.
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

std::string image_caption(const Series& s, double error, bool with_steps) {
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
  const auto [darkest, brightest] = std::minmax_element(planted.begin(), planted.end());
  out.black = *darkest;
  out.white = *brightest > *darkest ? *brightest : *darkest + 1.0;
  const auto add = [&](const std::string& caption, const std::string& detail,
                       const std::vector<double>& pixels) {
    const std::string file =
        fmt::format("{}-{}-{}.png", prefix, out.images.size(), file_name_part(caption));
    out.images.push_back({file, caption, detail, enlarged(pixels, size)});
  };
  for (const Series& s : panel.series) {
    if (s.result.image.size() != planted.size()) continue;
    if (out.images.empty()) add("planted", fmt::format("{0} × {0} pixels", size), planted);
    add(s.legend, image_caption(s, relative_error(s.result.image, planted), !steps),
        s.result.image);
  }
  return out;
}

}  // namespace

std::string section_of(const Figure& figure, const std::vector<Claim>& claims,
                       const std::string& svg, const std::string& images) {
  std::string body;
  body += page::picture(svg);
  body += images + derived_parameters(figure);
  if (figure.spec.kind == Kind::table) body += html_table(figure);
  for (const std::string& text : figure.spec.text) body += page::paragraph(text);
  if (!figure.spec.differs.empty()) {
    body += "<p><strong>Where ours differs from the paper.</strong></p>\n<ul>\n";
    for (const std::string& text : figure.spec.differs) body += "<li>" + escaped(text) + "</li>\n";
    body += "</ul>\n";
  }
  if (!claims.empty()) body += claims_of(claims);
  body += page::details("Problems of " + figure.spec.name, problems_of(figure));
  body += page::details("Runs of " + figure.spec.name, runs_of(figure));
  body += "<p class=\"small\">Every plotted number: <code>" + escaped(figure.spec.name) +
          ".csv</code></p>\n";
  return page::section(figure.spec.name, figure.spec.name + ": " + figure.spec.title, body);
}

std::string page_of(const PageParts& parts) {
  const Tally tally(parts.claims);
  std::string body = parts.complete ? "<h1>Minibatch heavy ball: the experiments, run again</h1>\n"
                                    : "<h1>Experiments, run by polyak</h1>\n";
  body +=
      "<p>Medians of independent runs with their 5th to 95th percentiles as shaded bands. "
      "Errors are distances to the least squares solution, divided by the first. B* is the "
      "paper's heuristic batch size.</p>\n";
  if (!parts.claims.empty())
    body +=
        fmt::format("<p>Claims: <span class=\"{}\">{}</span>.</p>\n", tally.css(), tally.text());
  body += "<nav>";
  for (const Figure* figure : parts.figures)
    body += fmt::format("<a href=\"#{0}\">{0}</a>", escaped(figure->spec.name));
  body += "</nav>\n";
  for (const std::string& section : parts.sections) body += section;
  body += page::section(
      "made", "How this page was made",
      fmt::format(
          "<p><code>{}</code></p>\n<p class=\"small\">{}, {}. {:.0f} seconds in this call. The "
          "same seed gives the same numbers for any number of threads; only times "
          "differ.</p>\n",
          escaped(parts.command), today(), escaped(machine()), parts.seconds));
  return page::document("polyak reproduce", body);
}

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

}  // namespace polyak::experiments::internal
