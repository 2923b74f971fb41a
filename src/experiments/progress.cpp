#include "experiments/progress.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "polyak/generate.hpp"
#include "polyak/methods.hpp"
#include "polyak/theory.hpp"

namespace polyak::experiments {
namespace {

bool samples(const SeriesSpec& series) {
  return !series.bound && find_method(series.options.method)->sampled;
}

}  // namespace

double guessed_seconds(double runs, double iterations, double batch, double rows, double cols) {
  constexpr double setup = 0.3, per_row = 40e-9, shared_row = 9e-9, sweep = 60e-9;
  const double wide = cols / 100.0;
  const double apart = runs * batch * per_row, together = rows * sweep + runs * batch * shared_row;
  return setup + iterations * wide * (runs * batch < rows ? apart : std::min(apart, together));
}

// A ray meets little more than `size` pixels, but each is somewhere else in memory.
double guessed_width(const ProblemSpec& problem) {
  if (problem.kind == "tomography") return 20.0 * static_cast<double>(problem.scan.size);
  return static_cast<double>(problem.cols);
}

double guessed_heuristic(const ProblemSpec& problem) {
  const double rows = static_cast<double>(problem.row_count());
  if (problem.kind != "spectrum" || problem.cols < 2) return 0.035 * rows;
  SpectrumProblem shape;
  shape.cols = problem.cols;
  shape.rows = std::max(problem.rows, problem.cols);
  shape.decay = problem.decay == "algebraic" ? Decay::algebraic : Decay::exponential;
  shape.kappa = problem.kappa;
  shape.rho = problem.rho;
  theory::MatrixNumbers numbers;
  for (double l : squared_singular_values(shape)) numbers.frobenius2 += l;
  numbers.lambda_min = 1.0;
  numbers.lambda_max = problem.kappa;
  numbers.cols = problem.cols;
  return theory::heavy_ball_theory(numbers, 1e-3).batch_heuristic.value_or(rows);
}

Meter::Meter(Watcher& watcher) : watcher_(watcher) {}

void Meter::begin(const std::string& what, double cost) {
  what_ = what;
  piece_ = cost;
  piece_started_ = now_s();
  static_cast<void>(reached(0.0));
}

bool Meter::reached(double share) {
  const double done = done_ + share * piece_;
  const double cost = ran_cost_ + share * piece_;
  const double seconds = ran_seconds_ + now_s() - piece_started_;
  std::optional<double> left;
  if (cost > 0.02 * expected_ && seconds > 1.0)
    left = std::max(0.0, expected_ - done) * seconds / cost;
  watcher_.progress(what_, expected_ > 0.0 ? std::min(1.0, done / expected_) : 0.0, left);
  return watcher_.stop_requested();
}

void Meter::end(bool ran) {
  done_ += piece_;
  if (ran) {
    ran_cost_ += piece_;
    ran_seconds_ += now_s() - piece_started_;
  }
  piece_ = 0.0;
}

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
