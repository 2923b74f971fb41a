#pragma once

// The spec of a figure, read from a TOML file: problems, methods, batches, number of runs, kind of
// picture, and claims.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "polyak/options.hpp"

namespace polyak::experiments::internal {

class TomlTable;

/// A parallel-beam scan of a known image: views × detectors rows, size² columns.
struct ScanSpec {
  Index size = 64, detectors = 128, views = 720;
  double turn = 360.0;   ///< degrees
  double spacing = 1.0;  ///< distance of the detector elements, in pixels
  std::string projector = "line", phantom = "walnut";
};

/// A generated problem, or files of the user.
struct ProblemSpec {
  std::string kind = "spectrum";  ///< spectrum, sampling, stacked, gaussian, tomography, file
  Index rows = 1'000'000, cols = 100, copies = 100;
  std::string decay = "exponential";
  double kappa = 100.0, rho = 0.5, noise = 0.0;
  std::string matrix, rhs;  ///< file: paths, relative to the working directory
  ScanSpec scan;            ///< tomography
  std::vector<double> x0;   ///< start vector; empty means 0
  std::uint64_t seed = 0;

  /// The number of rows; of a file an assumption, as it has not been read.
  Index row_count() const;
  /// Sets the number of rows; of a scan the number of views is reduced, never increased.
  void set_rows(Index n);
  /// Everything that the problem depends on, in one line.
  std::string key() const;
};

struct PanelSpec {
  std::string title;
  ProblemSpec problem;
  Index iterations = 0;
};

/// One method, at one batch or at several.
struct SeriesSpec {
  std::string label;   ///< "{c}" and "{B}" are replaced by the batch in units of B* and in rows
  std::string legend;  ///< text in the legend of the picture; default: the label
  SolveOptions options;
  bool bound = false;  ///< not a run but the bound of heavy ball with full gradients
  std::vector<double> times_heuristic;  ///< batches in units of B*
  std::vector<Index> batches;
  /// The step size is chosen such that B* of the paper, as a function of step size and momentum,
  /// has this value; `times_heuristic` is then in units of it.
  std::optional<double> for_batch;
  /// lambda_min is set to lambda_max divided by this.
  std::optional<double> coverage;
  bool image = false;               ///< show x of the first run at the end as an image
  std::vector<std::string> panels;  ///< titles of the panels that show it; empty means all
  std::optional<Index> iterations;  ///< default: those of the panel
  std::optional<Index> trials;      ///< upper bound; default: those of the spec
  Index every = 1;                  ///< iterations between measurements
  double steps_per_tick = 1.0;      ///< iteration k is drawn at k divided by this
  std::optional<int> style;
  std::string where;  ///< file and line, for messages
};

/// A statement about the figure, and how to check it.
struct ClaimSpec {
  std::string text, check;
  std::vector<std::string> series;  ///< labels; "{c}" is replaced by each of c
  std::string than;
  std::vector<double> c;
  double tol = 0.0, factor = 1.0, within = 0.0, expected = 0.0, floor = 0.0;
  std::vector<double> k, values;
  std::string fact;
  std::optional<Index> rows;  ///< the claim holds for this number of rows only
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
      differs;  ///< paragraphs: description; differences from the paper
  Index trials = 100;
  std::uint64_t seed = 1;
  int columns = 2;
  bool residuals = false;   ///< draw residual norms as well
  std::string steps_of;     ///< batches: k is the number of steps of this series …
  double steps_tol = 1e-6;  ///< … to this error; table: the tolerance
  bool prediction = false;  ///< batches: draw the predicted and the certified error
  std::optional<std::pair<double, double>> y_range;
  std::vector<PanelSpec> panels;
  std::vector<SeriesSpec> series;
  std::vector<ClaimSpec> claims;
};

/// True if the panel shows the series.
bool belongs(const SeriesSpec& series, const PanelSpec& panel);

/// Parses a spec; `file` is used in messages and as the base of relative paths. Error usage names
/// file and line.
Spec parse_spec(const std::string& text, const std::string& file);
/// Reads a spec from a file; Error no_input if it cannot be read.
Spec read_spec(const std::string& path);

/// The specs built into the library, in the order of the page.
struct CarriedSpec {
  std::string name, text;
};
const std::vector<CarriedSpec>& carried_specs();

// The tables of a spec.
std::uint64_t read_seed(TomlTable& t, std::uint64_t fallback);
ProblemSpec read_problem(TomlTable t, const std::string& file, std::uint64_t seed);
PanelSpec read_panel(TomlTable t, const std::string& file, Index iterations, std::uint64_t seed);
SeriesSpec read_series(TomlTable t);
ClaimSpec read_claim(TomlTable t);

}  // namespace polyak::experiments::internal
