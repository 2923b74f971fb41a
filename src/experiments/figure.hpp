#pragma once

// The results of a spec: every series of every panel with its numbers.

#include <optional>
#include <string>
#include <vector>

#include "experiments/lab.hpp"

namespace polyak::experiments {

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

}  // namespace polyak::experiments
