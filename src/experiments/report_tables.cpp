// The tables of a figure on the page.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/outputs.hpp"
#include "page/html.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::experiments {
namespace {

using page::escaped;

std::string optional_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "";
}

std::string known(const ProblemFacts& facts, double value) {
  return facts.lambda_min > 0.0 ? fmt::format("{:.6g}", value) : "not known";
}

std::string readable_head(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// One line for each panel and momentum: what the wanted B* made of the step.
std::string derived_line(const PanelResult& panel, const Series& s) {
  const double step = *s.result.step_size, momentum = *s.result.momentum;
  const double top = panel.facts.lambda_max;
  const double covered = tomography::kappa_covered(step, momentum, top);
  return fmt::format(
      "{}: B* = {:g} at β = {:g} makes α = {:.4g} = {:.3g}/λ_max; eigenvalues down to λ_max/{:.3g} "
      "contract at the full rate √β (κ covered: {:.3g}).",
      panel.spec->title, *s.spec->for_batch, momentum, step, step * top, std::max(covered, 1.0),
      covered);
}

}  // namespace

std::string runs_of(const Figure& figure) {
  std::vector<page::Row> rows;
  for (const PanelResult& panel : figure.panels)
    for (const Series& s : panel.series) {
      const RunResult& r = s.result;
      if (s.spec->bound) continue;
      rows.push_back({escaped(panel.spec->title), escaped(s.label), r.method,
                      r.batch ? std::to_string(*r.batch) : "", optional_number(r.step_size),
                      optional_number(r.momentum), r.sampling, std::to_string(r.runs),
                      std::to_string(r.iterations.back()), fmt::format("{:.2f}", r.seconds),
                      std::to_string(r.threads), escaped(r.build)});
    }
  return page::table({"panel", "series", "method", "batch", "step size", "momentum", "sampling",
                      "runs", "iterations", "seconds", "threads", "made by"},
                     rows);
}

std::string problems_of(const Figure& figure) {
  std::vector<page::Row> rows;
  std::vector<std::string> seen;
  for (const PanelResult& panel : figure.panels) {
    const std::string key = panel.spec->problem.key();
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    const ProblemFacts& f = panel.facts;
    rows.push_back({escaped(panel.spec->title), fmt::format("{} × {}", f.rows, f.cols),
                    escaped(f.matrix), known(f, f.kappa()),
                    known(f, f.frobenius2 / f.lambda_min / static_cast<double>(f.cols)),
                    fmt::format("{:.3g}", f.eta_uniform),
                    f.heuristic > 0.0 ? fmt::format("{:.0f}", f.heuristic) : "",
                    std::to_string(panel.spec->problem.seed), fmt::format("{:.1f}", f.seconds)});
  }
  return page::table({"problem", "size", "stored", "κ", "κ̄", "η uniform", "B*", "seed", "seconds"},
                     rows);
}

std::string html_table(const Figure& figure) {
  const auto table = table_of(figure);
  page::Row head;
  for (const std::string& cell : table[0]) head.push_back(readable_head(cell));
  std::vector<page::Row> rows;
  for (std::size_t i = 1; i < table.size(); ++i) {
    rows.emplace_back();
    for (const std::string& cell : table[i]) rows.back().push_back(escaped(cell));
  }
  return page::table(head, rows);
}

std::string derived_parameters(const Figure& figure) {
  std::vector<std::string> lines;
  for (const PanelResult& panel : figure.panels)
    for (const Series& s : panel.series) {
      if (!s.spec->for_batch || !s.result.step_size || !s.result.momentum) continue;
      const std::string line = derived_line(panel, s);
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  std::string out;
  for (const std::string& line : lines) out += "<p class=\"small\">" + escaped(line) + "</p>\n";
  return out;
}

}  // namespace polyak::experiments
