#pragma once

// How far it is: a guess of the work of everything, made before anything runs,
// and the share of it that is done.
// What a figure asks to be run, and what that may cost.

#include <string>

#include "experiments/spec.hpp"
#include "polyak/experiments.hpp"

namespace polyak::experiments {

/// Seconds a configuration may take on two cores; only ratios matter.
double guessed_seconds(double runs, double iterations, double batch, double rows, double cols);
/// Columns that cost as much in a dense row as one of this problem.
double guessed_width(const ProblemSpec& problem);
/// B* as far as it is known before the problem is made.
double guessed_heuristic(const ProblemSpec& problem);

class Meter {
 public:
  explicit Meter(Watcher& watcher);

  void expect(double cost) { expected_ += cost; }
  /// The next piece of so much work.
  void begin(const std::string& what, double cost);
  /// A share of the current piece is done; true when it is to stop.
  bool reached(double share);
  /// The current piece is done; `ran` is false when it was there already.
  void end(bool ran);

 private:
  Watcher& watcher_;
  std::string what_;
  double expected_ = 0.0, done_ = 0.0, piece_ = 0.0;
  double ran_cost_ = 0.0, ran_seconds_ = 0.0, piece_started_ = 0.0;
};

/// One entry for each batch that the series asks for, at least one.
struct Entry {
  double c = 0.0, batch = 0.0;
};
std::vector<Entry> entries(const SeriesSpec& series, double heuristic);

Index iterations_of(const SeriesSpec& series, const PanelSpec& panel);
/// Full gradients have nothing to repeat.
Index runs_of(const Spec& spec, const SeriesSpec& series);
/// Seconds, guessed.
double cost(const Spec& spec, const PanelSpec& panel, const SeriesSpec& series, double batch);
/// What the figure may cost, told to the meter.
void expect_figure(const Spec& spec, Meter& meter);

}  // namespace polyak::experiments
