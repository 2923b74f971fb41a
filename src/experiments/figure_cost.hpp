#pragma once

// What a figure asks to be run, and what that may cost.

#include "experiments/meter.hpp"
#include "experiments/spec.hpp"

namespace polyak::experiments {

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
