#include "page/html.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace polyak::internal::page {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light }
body { font: 16px/1.55 system-ui, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 68rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem }
h3 { font-size: 1rem; margin: 1.2rem 0 .5rem }
p, ul { max-width: 46rem }
nav a { margin-right: 1rem; white-space: nowrap } a { color: #0050a0 }
.wide { overflow-x: auto; margin: .8rem 0 }
.wide > svg { display: block; width: 100%; height: auto }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top }
th { background: #f4f4f4; white-space: nowrap } .sideways td { white-space: nowrap }
.yes { color: #00614a; font-weight: 600; white-space: nowrap }
.no { color: #a8320a; font-weight: 600; white-space: nowrap }
.na { color: #555; white-space: nowrap }
summary { cursor: pointer; color: #0050a0 } details { margin: .6rem 0 }
.gallery { display: flex; flex-wrap: wrap; gap: .8rem; margin: .8rem 0 }
.gallery figure { margin: 0; width: 9.5rem } .gallery figcaption { font-size: .87rem; line-height: 1.35 }
.gallery img { display: block; width: 100%; margin-bottom: .3rem; image-rendering: pixelated }
.small { font-size: .87rem; color: #444 }
code { background: #f4f4f4; padding: 0 .25em; overflow-wrap: anywhere }
@media (max-width: 27rem) {
  .picture::before, .sideways::before { content: "wider than the screen: scroll sideways";
    display: block; position: sticky; left: 0; width: fit-content; font-size: .8rem; color: #555 }
}
@media (max-width: 45rem) {
  .stacked th { display: none }
  .stacked table, .stacked tbody, .stacked tr, .stacked td { display: block; border: 0 }
  .stacked tr { padding: .4rem 0; border-bottom: 1px solid #ddd } .stacked td { padding: .1rem 0 }
  .stacked td:first-child { font-weight: 600 } .stacked td:empty { display: none }
  .stacked td[data-head]::before { content: attr(data-head) ": "; color: #555 }
}
)";

void drop_all(std::string& text, const std::string& start, char end) {
  for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
    const auto stop = text.find(end, at + start.size());
    if (stop == std::string::npos) return;
    text.erase(at, stop + 1 - at);
  }
}

std::string header_row(const Row& head) {
  std::string out = "<tr>";
  for (const std::string& cell : head) out += "<th>" + escaped(cell) + "</th>";
  return out + "</tr>\n";
}

// In a stacked table, each cell but the first carries its column name for narrow screens.
std::string body_row(const Row& row, const Row& head, bool stacked) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool named = stacked && i > 0 && i < head.size() && !head[i].empty();
    out += named ? "<td data-head=\"" + escaped(head[i]) + "\">" : "<td>";
    out += row[i] + "</td>";
  }
  return out + "</tr>\n";
}

// The width of an SVG, from viewBox="0 0 WIDTH HEIGHT"; 0 if there is none.
int width_of(const std::string& svg) {
  const std::string start = "viewBox=\"0 0 ";
  const auto at = svg.find(start);
  return at == std::string::npos ? 0 : std::atoi(svg.c_str() + at + start.size());
}

// RFC 4648: three bytes become four characters; "=" pads the last four.
std::string base64(const std::string& bytes) {
  static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : letters[three >> (18 - 6 * k) & 63u];
  }
  return out;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string inline_svg(const std::string& svg) {
  const auto start = svg.find("<svg");
  std::string out = start == std::string::npos ? "" : svg.substr(start);
  drop_all(out, " xmlns=\"", '"');
  drop_all(out, " xmlns:xlink=\"", '"');
  drop_all(out, " id=\"gnuplot_plot_", '"');
  return out;
}

std::string picture(const std::string& svg) {
  const std::string inside = inline_svg(svg);
  if (inside.empty()) return {};
  const double width = width_of(inside);
  return fmt::format(
      "<div class=\"wide picture\"><svg style=\"min-width: {:.0f}px; max-width: {:.0f}px\"{}"
      "</div>\n",
      0.8 * width, 1.3 * width, inside.substr(4));
}

std::string table(const Row& head, const std::vector<Row>& rows, Narrow narrow) {
  const bool stacked = narrow == Narrow::stacked;
  std::string out = fmt::format("<div class=\"wide {}\"><table>\n{}",
                                stacked ? "stacked" : "sideways", header_row(head));
  for (const Row& row : rows) out += body_row(row, head, stacked);
  return out + "</table></div>\n";
}

std::string paragraph(const std::string& text) { return "<p>" + escaped(text) + "</p>\n"; }

std::string details(const std::string& summary, const std::string& body) {
  return "<details><summary>" + escaped(summary) + "</summary>\n" + body + "</details>\n";
}

std::string section(const std::string& id, const std::string& title, const std::string& body) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", escaped(id),
                     escaped(title), body);
}

std::string document(const std::string& title, const std::string& body) {
  return fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{}</title>
<style>{}</style></head><body>
{}</body></html>
)",
                     escaped(title), style, body);
}

std::string gallery(const std::vector<Shot>& shots) {
  std::string out = "<div class=\"gallery\">\n";
  for (const Shot& shot : shots)
    out += fmt::format(
        "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\">"
        "<figcaption>{0}<br><span class=\"small\">{2}</span></figcaption></figure>\n",
        escaped(shot.caption), base64(shot.png), escaped(shot.detail));
  return out + "</div>\n";
}

}  // namespace polyak::internal::page
