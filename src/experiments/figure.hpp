#pragma once

// A figure: the results of a spec (every series of every panel with its numbers), its claims
// (statements that are checked against these numbers), and its outputs (numbers, picture,
// section of the page).

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/lab.hpp"
#include "page/chart.hpp"

namespace polyak::experiments::internal {

struct Series {
  const SeriesSpec* spec = nullptr;
  std::string label, legend;
  int style = 0;
  double c = 0.0;           ///< batch in units of B*, if given so; otherwise 0
  double wanted_batch = 0;  ///< before rounding down and the limit n; 0 without a batch
  bool capped = false;      ///< the batch was limited to n rows
  RunResult result;
  std::optional<double> predicted;  ///< table: iterations to the tolerance
};

struct PanelResult {
  const PanelSpec* spec = nullptr;
  ProblemFacts facts;
  std::vector<Series> series;
  Index k = 0;  ///< batches: the fixed iteration
  std::optional<Prediction> prediction;
};

struct Figure {
  Spec spec;
  std::vector<PanelResult> panels;  ///< one for each panel of the spec
};

/// The first measured iteration whose median error is at most `tol`.
std::optional<Index> steps_to(const RunResult& result, double tol);
/// The index of the measurement at iteration k, or of the last one before it.
std::size_t measurement_at(const RunResult& result, Index k);

/// Runs all series of panel `p` and stores their results in the figure.
void run_panel(Figure& figure, std::size_t p, Lab& lab, Progress& progress);

// Claims.

/// Thrown by a check if its assumptions do not hold for this figure.
struct NotApplicable {
  std::string reason;
};

struct Verdict {
  std::string expected, measured;
  bool pass = false;
};

/// The series of all panels that share one problem.
class Pool {
 public:
  void add(const PanelResult& panel);
  const ProblemFacts& facts() const { return panels_[0]->facts; }
  const std::string& title() const { return panels_[0]->spec->title; }
  Index k() const { return panels_[0]->k; }

  /// The series of that label; NotApplicable if its batch was limited to the number of rows.
  const Series& find(const std::string& label) const;
  /// The same, but null if the batch was limited.
  const Series* fitting(const std::string& label) const;

 private:
  const Series& named(const std::string& label) const;

  std::vector<const PanelResult*> panels_;
  std::vector<const Series*> series_;
};

/// The kinds of check, by name.
using Check = std::function<Verdict(const ClaimSpec&, const Pool&)>;
const std::map<std::string, Check>& checks();

/// One result for each claim, each of its values of c and each problem of the figure; a result
/// that is not applicable has a reason.
std::vector<Claim> check_claims(const Figure& figure);

// Outputs.

/// All plotted numbers as CSV, without times and threads: the same seed gives the same bytes.
std::string csv_of(const Figure& figure);

/// The picture; none for Kind::table.
std::optional<polyak::internal::page::Chart> chart_of(const Figure& figure);

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

}  // namespace polyak::experiments::internal
