#include "page/html.hpp"

#include <fmt/format.h>

namespace polyak::page {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light }
body { font: 16px/1.55 system-ui, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 68rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem }
p, ul { max-width: 46rem }
nav a { margin-right: 1rem; white-space: nowrap } a { color: #0050a0 }
.wide { overflow-x: auto; margin: .8rem 0 }
.wide > svg { display: block; width: 100%; min-width: 40rem; height: auto }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top }
th { background: #f4f4f4; white-space: nowrap }
.yes { color: #00614a; font-weight: 600; white-space: nowrap }
.no { color: #a8320a; font-weight: 600; white-space: nowrap }
.na { color: #555; white-space: nowrap }
summary { cursor: pointer; color: #0050a0 } details { margin: .6rem 0 }
.small { font-size: .87rem; color: #444 }
code { background: #f4f4f4; padding: 0 .25em; overflow-wrap: anywhere }
)";

void drop_all(std::string& text, const std::string& start, char end) {
  for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
    const auto stop = text.find(end, at + start.size());
    if (stop == std::string::npos) return;
    text.erase(at, stop + 1 - at);
  }
}

std::string cells(const Row& row, const char* tag) {
  std::string out = "<tr>";
  for (const std::string& cell : row) out += fmt::format("<{0}>{1}</{0}>", tag, cell);
  return out + "</tr>\n";
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

std::string table(const Row& head, const std::vector<Row>& rows) {
  std::string out = "<div class=\"wide\"><table>\n" + cells(head, "th");
  for (const Row& row : rows) out += cells(row, "td");
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

}  // namespace polyak::page
