#pragma once

// Progress and remaining time: the work of all runs is estimated before the first one starts.

#include <string>

#include "experiments/spec.hpp"
#include "polyak/experiments.hpp"

namespace polyak::experiments::internal {

/// Estimated seconds of a configuration on two cores; only ratios matter.
double estimated_seconds(double runs, double iterations, double batch, double rows, double cols);
/// The number of columns of a dense row that takes as long as a row of this problem.
double estimated_width(const ProblemSpec& problem);
/// An estimate of B* before the problem is generated.
double estimated_heuristic(const ProblemSpec& problem);

/// Reports progress to the watcher and asks it whether to stop.
class Progress {
 public:
  explicit Progress(Watcher& watcher);

  /// Adds to the total of estimated work.
  void add_work(double cost) { expected_ += cost; }
  /// Begins a piece of work with this estimated cost.
  void begin(const std::string& what, double cost);
  /// Reports that this share of the current piece is done; true if the run should stop.
  bool report(double share);
  /// Ends the current piece; `ran` is false if its result was loaded.
  void end(bool ran);

 private:
  Watcher& watcher_;
  std::string what_;
  double expected_ = 0.0, done_ = 0.0, piece_ = 0.0;
  double ran_cost_ = 0.0, ran_seconds_ = 0.0, piece_started_ = 0.0;
};

/// A batch of a series: c in units of B* (0 if given in rows) and rows (0: the method has none).
struct BatchEntry {
  double c = 0.0, batch = 0.0;
};
/// All batches of the series, at least one entry.
std::vector<BatchEntry> batch_entries(const SeriesSpec& series, double heuristic);

Index iterations_of(const SeriesSpec& series, const PanelSpec& panel);
/// The number of repetitions; 1 for full gradients, which are deterministic.
Index runs_of(const Spec& spec, const SeriesSpec& series);
/// Estimated seconds of one configuration.
double cost(const Spec& spec, const PanelSpec& panel, const SeriesSpec& series, double batch);
/// Adds the estimated work of all configurations of the figure.
void add_figure_work(const Spec& spec, Progress& progress);

}  // namespace polyak::experiments::internal
