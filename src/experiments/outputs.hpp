#pragma once

// The outputs of a figure: its numbers, its picture, its section of the page.

#include "experiments/figure.hpp"
#include "page/chart.hpp"

namespace polyak::experiments {

/// All plotted numbers as CSV, without times and threads: the same seed gives the same bytes.
std::string csv_of(const Figure& figure);

/// The picture; none for Kind::table.
std::optional<page::Chart> chart_of(const Figure& figure);

/// claims.json: the claims of `before`, the existing file, except those of `figures`, and then
/// `claims`.
std::string claims_json(const std::vector<Claim>& claims, const std::vector<std::string>& figures,
                        const std::string& before);

/// The section of one figure on the page; `svg` and `images` (HTML) may be empty.
std::string section_of(const Figure& figure, const std::vector<Claim>& claims,
                       const std::string& svg, const std::string& images);
/// Tables of the section, as HTML: problems, runs, and the table of Kind::table.
std::string problems_of(const Figure& figure);
std::string runs_of(const Figure& figure);
std::string html_table(const Figure& figure);
/// Step sizes derived from for_batch, one paragraph each; may be empty.
std::string derived_parameters(const Figure& figure);

/// x as an image, with the grey scale of the true image.
struct Image {
  std::string file, caption, detail;
  Array pixels;
};
/// The images of one panel, the true image first.
struct Gallery {
  std::string title;
  double black = 0.0, white = 1.0;
  std::vector<Image> images;
};
/// One gallery for each panel with images.
std::vector<Gallery> galleries_of(const Figure& figure);

/// The contents of the page.
struct PageParts {
  std::vector<const Figure*> figures;
  std::vector<std::string> sections;
  std::vector<Claim> claims;
  bool complete = true;  ///< all figures of the paper were run
  std::string command;
  double seconds = 0.0;
};
std::string page_of(const PageParts& parts);

/// The cells of the table of a Kind::table figure; the first row is the header.
std::vector<std::vector<std::string>> table_of(const Figure& figure);

}  // namespace polyak::experiments
