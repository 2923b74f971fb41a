#include "experiments/progress.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "polyak/generate.hpp"
#include "polyak/methods.hpp"
#include "polyak/theory.hpp"

namespace polyak::experiments::internal {
using namespace polyak::internal;

namespace {

bool samples(const SeriesSpec& series) {
  return !series.bound && find_method(series.options.method)->sampled;
}

}  // namespace

double estimated_seconds(double runs, double iterations, double batch, double rows, double cols) {
  constexpr double setup = 0.3, per_row = 40e-9, shared_row = 9e-9, sweep = 60e-9;
  const double wide = cols / 100.0;
  const double separate = runs * batch * per_row, shared = rows * sweep + runs * batch * shared_row;
  return setup + iterations * wide * (runs * batch < rows ? separate : std::min(separate, shared));
}

// A ray crosses little more than `size` pixels, but their addresses are scattered.
double estimated_width(const ProblemSpec& problem) {
  if (problem.kind == "tomography") return 20.0 * static_cast<double>(problem.scan.size);
  return static_cast<double>(problem.cols);
}

double estimated_heuristic(const ProblemSpec& problem) {
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

Progress::Progress(Watcher& watcher) : watcher_(watcher) {}

void Progress::begin(const std::string& what, double cost) {
  what_ = what;
  piece_ = cost;
  piece_started_ = now_s();
  static_cast<void>(report(0.0));
}

bool Progress::report(double share) {
  const double done = done_ + share * piece_;
  const double cost = ran_cost_ + share * piece_;
  const double seconds = ran_seconds_ + now_s() - piece_started_;
  std::optional<double> left;
  if (cost > 0.02 * expected_ && seconds > 1.0)
    left = std::max(0.0, expected_ - done) * seconds / cost;
  watcher_.progress(what_, expected_ > 0.0 ? std::min(1.0, done / expected_) : 0.0, left);
  return watcher_.stop_requested();
}

void Progress::end(bool ran) {
  done_ += piece_;
  if (ran) {
    ran_cost_ += piece_;
    ran_seconds_ += now_s() - piece_started_;
  }
  piece_ = 0.0;
}

std::vector<BatchEntry> batch_entries(const SeriesSpec& series, double heuristic) {
  std::vector<BatchEntry> out;
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
  return estimated_seconds(runs, iterations, sampled ? std::clamp(batch, 1.0, rows) : rows, rows,
                           estimated_width(panel.problem));
}

void add_figure_work(const Spec& spec, Progress& progress) {
  for (const PanelSpec& panel : spec.panels) {
    const double heuristic = estimated_heuristic(panel.problem);
    for (const SeriesSpec& series : spec.series)
      if (belongs(series, panel))
        for (const BatchEntry& entry : batch_entries(series, heuristic))
          progress.add_work(cost(spec, panel, series, entry.batch));
  }
}

}  // namespace polyak::experiments::internal
