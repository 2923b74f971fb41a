#pragma once

// What an experiment is, read from a small TOML file: problems, methods,
// batches, how often, what to draw, and what is claimed of it.
// The parts of a spec, each read from its own table.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "polyak/options.hpp"

namespace polyak::experiments {

class TomlTable;

/// A parallel-beam scan of a planted image: views × detectors rows, size² columns.
struct ScanSpec {
  Index size = 64, detectors = 128, views = 720;
  double turn = 360.0;   ///< degrees
  double spacing = 1.0;  ///< of the detector elements, in pixels
  std::string projector = "line", phantom = "walnut";
};

/// Where the numbers come from: made to order, or files of the user.
struct ProblemSpec {
  std::string kind = "spectrum";  ///< spectrum, sampling, stacked, gaussian, tomography, file
  Index rows = 1'000'000, cols = 100, copies = 100;
  std::string decay = "exponential";
  double kappa = 100.0, rho = 0.5, noise = 0.0;
  std::string matrix, rhs;  ///< file: paths as they are to be opened
  ScanSpec scan;            ///< tomography
  std::vector<double> x0;   ///< empty means 0
  std::uint64_t seed = 0;

  /// Rows as asked for; a file's are not known before it is read.
  Index row_count() const;
  /// About N of them: a scan takes fewer views, never more.
  void set_rows(Index n);
  /// All that the numbers depend on, in one line.
  std::string key() const;
};

struct PanelSpec {
  std::string title;
  ProblemSpec problem;
  Index iterations = 0;
};

/// One method, at one batch or at several.
struct SeriesSpec {
  std::string label;   ///< "{c}" and "{B}" stand for the batch, in B* and in rows
  std::string legend;  ///< what the picture says; the label where empty
  SolveOptions options;
  bool bound = false;                   ///< no run: the bound of full-gradient heavy ball
  std::vector<double> times_heuristic;  ///< batches in units of B*
  std::vector<Index> batches;
  /// The step follows: the paper's B* of step and momentum is to be this, and
  /// `times_heuristic` counts in it.
  std::optional<double> for_batch;
  /// lambda_min is taken to be lambda_max over this.
  std::optional<double> coverage;
  bool image = false;               ///< show x of the first run at the end as a picture
  std::vector<std::string> panels;  ///< titles; empty means all
  std::optional<Index> iterations;  ///< those of the panel where absent
  std::optional<Index> trials;      ///< at most so many; those of the spec where absent
  Index every = 1;
  double steps_per_tick = 1.0;  ///< drawn at k divided by this
  std::optional<int> style;
  std::string where;  ///< file and line, for messages
};

/// A sentence about the figure, and how to check it.
struct ClaimSpec {
  std::string text, check;
  std::vector<std::string> series;  ///< labels; "{c}" is replaced by each of c
  std::string than;
  std::vector<double> c;
  double tol = 0.0, factor = 1.0, within = 0.0, expected = 0.0, floor = 0.0;
  std::vector<double> k, values;
  std::string fact;
  std::optional<Index> rows;  ///< the claim is about matrices of so many rows
};

enum class Kind {
  curves,   ///< error against iteration
  batches,  ///< error at a fixed iteration against the batch
  paths,    ///< x itself, in two dimensions
  table,    ///< iterations and row products to a tolerance
};

struct Spec {
  std::string name, title;
  Kind kind = Kind::curves;
  std::vector<std::string> text,
      differs;  ///< paragraphs: what is seen; where ours differs, and why
  Index trials = 100;
  std::uint64_t seed = 1;
  int columns = 2;
  bool residuals = false;   ///< draw residual norms as well
  std::string steps_of;     ///< batches: k is what this series needs …
  double steps_tol = 1e-6;  ///< … to this error; table: the tolerance
  bool prediction = false;  ///< batches: our predicted curve and the certificate
  std::optional<std::pair<double, double>> y_range;
  std::vector<PanelSpec> panels;
  std::vector<SeriesSpec> series;
  std::vector<ClaimSpec> claims;
};

/// Whether the panel shows the series.
bool belongs(const SeriesSpec& series, const PanelSpec& panel);

/// Reads a spec; `file` is for messages and for paths relative to it. Error
/// usage names file and line.
Spec parse_spec(const std::string& text, const std::string& file);
/// The same from a file; Error no_input when there is none.
Spec read_spec(const std::string& path);

/// The specs the program carries, in the order of the page.
struct CarriedSpec {
  std::string name, text;
};
const std::vector<CarriedSpec>& carried_specs();

std::uint64_t read_seed(TomlTable& t, std::uint64_t fallback);
ProblemSpec read_problem(TomlTable t, const std::string& file, std::uint64_t seed);
PanelSpec read_panel(TomlTable t, const std::string& file, Index iterations, std::uint64_t seed);
SeriesSpec read_series(TomlTable t);
ClaimSpec read_claim(TomlTable t);

}  // namespace polyak::experiments
