#include "experiments/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/progress.hpp"
#include "polyak/error.hpp"
#include "polyak/theory.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::experiments::internal {
namespace {

std::string filled(std::string text, const std::string& name, const std::string& value) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
  return text;
}

// The bound of the paper for heavy ball with full gradients: √2·M·√beta^k.
RunResult bound(const ProblemFacts& facts, Index iterations) {
  theory::MatrixNumbers numbers{facts.lambda_min, facts.lambda_max, facts.frobenius2, facts.cols,
                                1.0};
  const theory::HeavyBallTheory theory = theory::heavy_ball_theory(numbers, 1e-3);
  RunResult out;
  out.method = "bound";
  for (Index k = 0; k <= iterations; ++k) {
    out.iterations.push_back(k);
    out.error.median.push_back(theory::heavy_ball_bound(theory.M, theory.parameters, k));
  }
  return out;
}

class PanelRunner {
 public:
  PanelRunner(Figure& figure, std::size_t p, Lab& lab, Progress& progress)
      : spec_(figure.spec), out_(figure.panels[p]), lab_(lab), progress_(progress) {
    out_ = {};
    out_.spec = &spec_.panels[p];
  }

  void run() {
    lab_.set_problem(out_.spec->problem);
    progress_.begin(spec_.name + ", " + out_.spec->title, 0.0);
    out_.facts = lab_.facts();
    fix_iteration();
    for (const SeriesSpec& series : spec_.series)
      if (belongs(series, *out_.spec)) run_series(series);
    if (spec_.prediction && out_.facts.heuristic > 0.0)
      out_.prediction = lab_.predict(out_.k, out_.facts.heuristic);
  }

 private:
  // The iteration at which batches are compared: the steps that the series `steps_of` needs.
  void fix_iteration() {
    if (spec_.kind != Kind::batches) return;
    out_.k = out_.spec->iterations;
    for (const SeriesSpec& series : spec_.series)
      if (series.label == spec_.steps_of) {
        const RunResult result = one(series, {}).result;
        out_.k = steps_to(result, spec_.steps_tol).value_or(out_.k);
      }
  }

  void run_series(const SeriesSpec& series) {
    check_premises(series);
    int style = series.style.value_or(static_cast<int>(out_.series.size()));
    for (const BatchEntry& entry : batch_entries(series, out_.facts.heuristic)) {
      out_.series.push_back(one(series, entry));
      out_.series.back().style = style++;
    }
  }

  // Batches in units of B* and the bound of HBM need lambda_min > 0.
  void check_premises(const SeriesSpec& series) const {
    const std::string kappa = out_.facts.lambda_min > 0.0
                                  ? fmt::format("kappa {:.3g}", out_.facts.kappa())
                                  : "a scan, whose lambda_min is almost zero";
    const bool in_units = !series.times_heuristic.empty() && !series.for_batch;
    if (in_units && !(out_.facts.heuristic > 0.0))
      throw Error(ErrorCode::bad_data, {.what = "B* is not defined for this problem",
                                        .where = series.where,
                                        .found = kappa,
                                        .expected = "kappa of 2 or more",
                                        .hint = "give batches = [...] in rows, or set for_batch"});
    if (series.bound && !(out_.facts.lambda_min > 0.0))
      throw Error(ErrorCode::bad_data, {.what = "the bound of HBM needs lambda_min",
                                        .where = series.where,
                                        .found = kappa,
                                        .expected = {},
                                        .hint = "leave the series out"});
  }

  Series one(const SeriesSpec& series, const BatchEntry& entry) {
    Series out;
    out.spec = &series;
    out.c = entry.c;
    out.wanted_batch = entry.batch;
    const double rows = static_cast<double>(out_.facts.rows);
    const auto batch = static_cast<Index>(std::clamp(entry.batch, 1.0, rows));
    out.capped = entry.c > 0.0 && std::floor(entry.batch) > rows;
    name(out, entry, batch);
    if (series.bound) {
      out.result = bound(out_.facts, iterations_of(series, *out_.spec));
      return out;
    }
    progress_.begin(fmt::format("{}, {}: {}", spec_.name, out_.spec->title, out.label),
                    cost(spec_, *out_.spec, series, entry.batch));
    out.result = lab_.run(run_request(series, entry, batch));
    if (spec_.kind == Kind::table)
      out.predicted =
          lab_.predicted_steps(out.result, spec_.steps_tol, 2 * iterations_of(series, *out_.spec));
    return out;
  }

  void name(Series& out, const BatchEntry& entry, Index batch) const {
    for (auto [text, from] :
         {std::pair{&out.label, &out.spec->label}, std::pair{&out.legend, &out.spec->legend}})
      *text = filled(filled(*from, "{c}", fmt::format("{:g}", entry.c)), "{B}",
                     fmt::format("{}", batch));
  }

  RunRequest run_request(const SeriesSpec& series, const BatchEntry& entry, Index batch) const {
    RunRequest out;
    out.options = series.options;
    out.options.seed = spec_.seed;
    if (entry.batch > 0.0) out.options.batch_size = batch;
    derive(series, out.options);
    out.image = series.image;
    out.runs = runs_of(spec_, series);
    out.iterations = iterations_of(series, *out_.spec);
    if (spec_.kind == Kind::batches && series.label != spec_.steps_of) out.iterations = out_.k;
    out.every = series.every;
    out.residuals = spec_.residuals;
    out.path = spec_.kind == Kind::paths;
    return out;
  }

  // Sets the step size or the eigenvalue bounds that follow from the matrix.
  void derive(const SeriesSpec& series, SolveOptions& options) const {
    const ProblemFacts& f = out_.facts;
    if (series.for_batch)
      options.step_size = tomography::step_for(*series.for_batch, *options.momentum, f.frobenius2,
                                               f.lambda_max, f.cols);
    if (!series.coverage) return;
    options.lambda_max = options.lambda_max.value_or(f.lambda_max);
    options.lambda_min = *options.lambda_max / *series.coverage;
  }

  const Spec& spec_;
  PanelResult& out_;
  Lab& lab_;
  Progress& progress_;
};

}  // namespace

std::optional<Index> steps_to(const RunResult& result, double tol) {
  for (std::size_t m = 0; m < result.iterations.size(); ++m)
    if (result.error.median[m] <= tol) return result.iterations[m];
  return {};
}

std::size_t measurement_at(const RunResult& result, Index k) {
  const auto after = std::upper_bound(result.iterations.begin(), result.iterations.end(), k);
  return after == result.iterations.begin()
             ? 0
             : static_cast<std::size_t>(after - result.iterations.begin()) - 1;
}

void run_panel(Figure& figure, std::size_t p, Lab& lab, Progress& progress) {
  PanelRunner(figure, p, lab, progress).run();
}

}  // namespace polyak::experiments::internal
