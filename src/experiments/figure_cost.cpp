#include "experiments/figure_cost.hpp"

#include <algorithm>

#include "polyak/methods.hpp"

namespace polyak::experiments {
namespace {

bool samples(const SeriesSpec& series) {
  return !series.bound && find_method(series.options.method)->sampled;
}

}  // namespace

std::vector<Entry> entries(const SeriesSpec& series, double heuristic) {
  std::vector<Entry> out;
  const double unit = series.for_batch.value_or(heuristic);
  for (double c : series.times_heuristic) out.push_back({c, c * unit});
  for (Index b : series.batches) out.push_back({0.0, static_cast<double>(b)});
  if (out.empty()) out.push_back({});
  return out;
}

Index iterations_of(const SeriesSpec& series, const PanelSpec& panel) {
  return series.iterations.value_or(panel.iterations);
}

Index runs_of(const Spec& spec, const SeriesSpec& series) {
  return samples(series) ? std::min(spec.trials, series.trials.value_or(spec.trials)) : 1;
}

double cost(const Spec& spec, const PanelSpec& panel, const SeriesSpec& series, double batch) {
  const auto rows = static_cast<double>(panel.problem.row_count());
  if (series.bound) return 0.0;
  const bool sampled = samples(series);
  const auto runs = static_cast<double>(runs_of(spec, series));
  double iterations = static_cast<double>(iterations_of(series, panel));
  if (spec.kind == Kind::batches && series.label != spec.steps_of) iterations *= 0.6;
  return guessed_seconds(runs, iterations, sampled ? std::clamp(batch, 1.0, rows) : rows, rows,
                         guessed_width(panel.problem));
}

void expect_figure(const Spec& spec, Meter& meter) {
  for (const PanelSpec& panel : spec.panels) {
    const double heuristic = guessed_heuristic(panel.problem);
    for (const SeriesSpec& series : spec.series)
      if (belongs(series, panel))
        for (const Entry& entry : entries(series, heuristic))
          meter.expect(cost(spec, panel, series, entry.batch));
  }
}

}  // namespace polyak::experiments
