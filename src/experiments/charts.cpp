#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/figure.hpp"

namespace polyak::experiments::internal {
using namespace polyak::internal;

namespace {

page::Line line_of(const PanelResult& panel, const Series& s, const Curve& curve) {
  page::Line out;
  out.label = s.legend;
  out.style = s.style;
  const Index last = s.spec->iterations.value_or(panel.spec->iterations);
  for (std::size_t m = 0; m < curve.median.size() && s.result.iterations[m] <= last; ++m) {
    out.x.push_back(static_cast<double>(s.result.iterations[m]) / s.spec->steps_per_tick);
    out.y.push_back(curve.median[m]);
    if (s.result.runs < 2) continue;
    out.low.push_back(curve.low[m]);
    out.high.push_back(curve.high[m]);
  }
  return out;
}

page::Panel curves_panel(const Figure& figure, const PanelResult& panel, bool residual) {
  page::Panel out;
  out.title = panel.spec->title;
  if (figure.spec.residuals) out.title += residual ? ": residual norm" : ": error";
  double end = 0.0;
  for (const Series& s : panel.series) {
    const Curve& curve = residual ? s.result.residual : s.result.error;
    if (curve.empty()) continue;
    out.lines.push_back(line_of(panel, s, curve));
    if (!out.lines.back().x.empty()) end = std::max(end, out.lines.back().x.back());
  }
  out.x_range = std::pair{0.0, end};
  const ProblemFacts& facts = panel.facts;
  if (residual && facts.residual_norm > 0.0 && facts.b_norm > 0.0)
    out.marks.push_back({false, facts.residual_norm / facts.b_norm, "best residual"});
  return out;
}

// One y range for all panels: that of the spec, or the range of the medians rounded to powers of
// ten. Diverging curves leave the picture at the top.
void share_range(page::Chart& chart, const Spec& spec) {
  double min_y = 1.0, max_y = 1.0;
  for (const page::Panel& panel : chart.panels)
    for (const page::Line& line : panel.lines)
      for (const double y : line.y) {
        if (y > 1e-300) min_y = std::min(min_y, y);
        max_y = std::max(max_y, std::min(y, 1e3));
      }
  const auto power = [](double v) { return std::pow(10.0, v); };
  const std::pair found{std::max(1e-17, power(std::floor(std::log10(min_y)))),
                        power(std::ceil(std::log10(max_y)))};
  for (page::Panel& panel : chart.panels)
    panel.y_range =
        spec.y_range.value_or(std::pair{found.first, std::max(found.second, 10.0 * found.first)});
}

page::Chart curves(const Figure& figure) {
  page::Chart out;
  out.columns = figure.spec.columns;
  out.x_label = "iteration k";
  out.y_label = figure.spec.residuals ? "relative to the first" : "error, relative to the first";
  if (figure.panels.size() < 3) {
    out.panel_width = 420;
    out.panel_height = 300;
  }
  for (const PanelResult& panel : figure.panels) {
    out.panels.push_back(curves_panel(figure, panel, false));
    if (figure.spec.residuals) out.panels.push_back(curves_panel(figure, panel, true));
    for (const Series& s : panel.series)
      if (s.spec->steps_per_tick != 1.0)
        out.x_label = fmt::format("iteration k (k/{:g} for {})", s.spec->steps_per_tick, s.label);
  }
  share_range(out, figure.spec);
  return out;
}

// The predicted and the certified error against the batch.
void add_prediction(page::Panel& out, const Prediction& p) {
  page::Line predicted, certified;
  predicted.label = "predicted (rms)";
  predicted.style = 2;
  certified.label = "certified for any A (rms)";
  certified.style = 3;
  for (std::size_t i = 0; i < p.batches.size(); ++i) {
    predicted.x.push_back(p.batches[i]);
    predicted.y.push_back(p.rms[i]);
    if (!std::isfinite(p.certified[i])) continue;
    certified.x.push_back(p.batches[i]);
    certified.y.push_back(p.certified[i]);
  }
  out.lines.push_back(predicted);
  if (!certified.x.empty()) out.lines.push_back(certified);
}

page::Panel batches_panel(const PanelResult& panel) {
  page::Panel out;
  out.title = fmt::format("{}, k = {}", panel.spec->title, panel.k);
  page::Line medians, rms;
  medians.style = 1;
  medians.label = "median, 5th to 95th percentile";
  rms.style = 2;
  rms.look = page::Look::points;
  rms.label = "root mean square of the runs";
  for (const Series& s : panel.series) {
    const std::size_t m = measurement_at(s.result, panel.k);
    if (!s.result.batch) {
      out.marks.push_back({false, s.result.error.median[m], s.legend});
      continue;
    }
    medians.x.push_back(static_cast<double>(*s.result.batch));
    rms.x.push_back(medians.x.back());
    medians.y.push_back(s.result.error.median[m]);
    medians.low.push_back(s.result.error.low[m]);
    medians.high.push_back(s.result.error.high[m]);
    rms.y.push_back(s.result.error.rms[m]);
  }
  out.lines.push_back(medians);
  if (panel.prediction) add_prediction(out, *panel.prediction);
  if (panel.prediction) out.lines.push_back(rms);
  if (panel.facts.heuristic > 0.0) out.marks.push_back({true, panel.facts.heuristic, "B*"});
  const double min_batch =
      medians.x.empty() ? 1.0 : *std::min_element(medians.x.begin(), medians.x.end());
  const double max_batch =
      medians.x.empty() ? 10.0 : *std::max_element(medians.x.begin(), medians.x.end());
  out.x_range = std::pair{min_batch * 0.8, std::max(max_batch, panel.facts.heuristic) * 1.6};
  return out;
}

page::Chart batches(const Figure& figure) {
  page::Chart out;
  out.columns = figure.spec.columns;
  out.log_x = true;
  out.x_label = "batch size B";
  out.y_label = "error at k, relative";
  for (const PanelResult& panel : figure.panels) out.panels.push_back(batches_panel(panel));
  share_range(out, figure.spec);
  return out;
}

// Contours of ½xᵀHx: ellipses, long along the eigenvector of lambda_min.
void add_contours(page::Panel& out, const ProblemFacts& facts) {
  if (facts.slow_axis.size() != 2) return;
  const double turn = std::atan2(facts.slow_axis[1], facts.slow_axis[0]);
  for (int level = -8; level <= 8; ++level) {
    const double size = std::pow(10.0, level / 7.0);
    page::Line line;
    line.look = page::Look::thin;
    for (int i = 0; i <= 96; ++i) {
      const double t = 2.0 * std::numbers::pi * i / 96;
      const double u = size * std::cos(t);
      const double v = size * std::sin(t) / std::sqrt(facts.kappa());
      line.x.push_back(u * std::cos(turn) - v * std::sin(turn));
      line.y.push_back(u * std::sin(turn) + v * std::cos(turn));
    }
    out.lines.push_back(line);
  }
}

// One panel for each method, one path for each start vector.
page::Chart paths(const Figure& figure) {
  page::Chart out;
  out.square = true;
  out.log_y = false;
  out.columns = figure.spec.columns;
  out.panel_width = 180;
  out.panel_height = 270;
  const std::size_t methods = figure.panels.empty() ? 0 : figure.panels[0].series.size();
  for (std::size_t s = 0; s < methods; ++s) {
    page::Panel panel;
    panel.title = figure.panels[0].series[s].legend;
    panel.x_range = std::pair{-2.4, 2.4};
    panel.y_range = std::pair{-3.6, 3.6};
    add_contours(panel, figure.panels[0].facts);
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
      page::Line line;
      line.look = page::Look::path;
      line.style = static_cast<int>(p) + 1;
      line.label = figure.panels[p].spec->title;
      for (const auto& x : figure.panels[p].series[s].result.path) {
        line.x.push_back(x[0]);
        line.y.push_back(x.at(1));
      }
      panel.lines.push_back(line);
    }
    panel.lines.push_back({"the answer", 0, page::Look::points, {0.0}, {0.0}, {}, {}});
    out.panels.push_back(panel);
  }
  return out;
}

}  // namespace

std::optional<page::Chart> chart_of(const Figure& figure) {
  switch (figure.spec.kind) {
    case Kind::curves: return curves(figure);
    case Kind::batches: return batches(figure);
    case Kind::paths: return paths(figure);
    default: return {};
  }
}

}  // namespace polyak::experiments::internal
