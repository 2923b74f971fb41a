#pragma once

// A figure as text: its numbers, its picture, its part of the page.

#include "experiments/figure.hpp"
#include "page/chart.hpp"

namespace polyak::experiments {

/// Every plotted number. No times and no threads: the same seed gives the same
/// bytes.
std::string csv_of(const Figure& figure);

/// Kind::table has none.
std::optional<page::Chart> chart_of(const Figure& figure);

/// claims.json: what `before`, the file that is there, says of other figures than these, and
/// then these claims.
std::string claims_json(const std::vector<Claim>& claims, const std::vector<std::string>& figures,
                        const std::string& before);

/// What the page says of one figure; `svg` and `images` (HTML) may be empty.
std::string section_of(const Figure& figure, const std::vector<Claim>& claims,
                       const std::string& svg, const std::string& images);
/// Its tables, as HTML: problems, runs, the table of Kind::table.
std::string problems_of(const Figure& figure);
std::string runs_of(const Figure& figure);
std::string html_table(const Figure& figure);
/// Steps that follow from a wanted B*: a line each, or nothing.
std::string derived_parameters(const Figure& figure);

/// x as a picture, in the shades of the planted image.
struct Image {
  std::string file, caption, detail;
  Array pixels;
};
/// The images of one panel, the planted one first.
struct Gallery {
  std::string title;
  double black = 0.0, white = 1.0;
  std::vector<Image> images;
};
/// One for each panel that has any.
std::vector<Gallery> galleries_of(const Figure& figure);

/// The page.
struct PageParts {
  std::vector<const Figure*> figures;
  std::vector<std::string> sections;
  std::vector<Claim> claims;
  bool complete = true;  ///< all figures of the paper were asked for
  std::string command;
  double seconds = 0.0;
};
std::string page_of(const PageParts& parts);

/// The table of a Kind::table figure, cell by cell; head first.
std::vector<std::vector<std::string>> table_of(const Figure& figure);

}  // namespace polyak::experiments
