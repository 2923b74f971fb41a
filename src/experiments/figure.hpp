#pragma once

// A spec carried out: every series of every panel with its numbers.

#include <optional>
#include <string>
#include <vector>

#include "experiments/lab.hpp"

namespace polyak::experiments {

struct Series {
  const SeriesSpec* spec = nullptr;
  std::string label, legend;
  int style = 0;
  double c = 0.0;           ///< batch in units of B*, where it was asked for so
  double wanted_batch = 0;  ///< before truncation and the cap at n; 0 where there is none
  bool capped = false;      ///< more rows were asked for than there are
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
  std::vector<PanelResult> panels;  ///< as many as in the spec
};

/// The first measured iteration whose median error is at most `tol`.
std::optional<Index> steps_to(const RunResult& result, double tol);
/// The place of iteration k in the measurements, or of the last one before.
std::size_t place_of(const RunResult& result, Index k);

/// Fills panel `p` of the figure.
void run_panel(Figure& figure, std::size_t p, Lab& lab, Meter& meter);

}  // namespace polyak::experiments
