// The numbers of a figure: CSV and claims.json, and the tables of the page.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/figure.hpp"
#include "page/html.hpp"
#include "polyak/theory.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::experiments::internal {
using namespace polyak::internal;

namespace {

std::string shortest(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// One line per measurement, with the same columns for every kind of figure.
class Csv {
 public:
  void line(const PanelResult& panel, const std::string& series, const char* quantity,
            const std::string& batch, Index k, const Curve& curve, std::size_t m) {
    const auto at = [&](const std::vector<double>& v) { return v.empty() ? "" : shortest(v[m]); };
    out_ +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", cell(panel.spec->title), cell(series), quantity,
                    batch, k, at(curve.median), at(curve.low), at(curve.high), at(curve.rms));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_ = "panel,series,quantity,batch,k,median,p5,p95,rms\n";
};

std::string batch_of(const Series& series) {
  return series.result.batch ? std::to_string(*series.result.batch) : "";
}

// The number of measurements to write: a stored run may be longer than this figure needs.
std::size_t drawn(const PanelResult& panel, const Series& series) {
  const Index last = series.spec->iterations.value_or(panel.spec->iterations);
  return measurement_at(series.result, last) + 1;
}

void add_curves(Csv& csv, const PanelResult& panel) {
  for (const Series& s : panel.series)
    for (std::size_t m = 0; m < drawn(panel, s); ++m) {
      csv.line(panel, s.label, "error", batch_of(s), s.result.iterations[m], s.result.error, m);
      if (!s.result.residual.empty())
        csv.line(panel, s.label, "residual", batch_of(s), s.result.iterations[m], s.result.residual,
                 m);
    }
}

void add_batches(Csv& csv, const PanelResult& panel) {
  for (const Series& s : panel.series)
    csv.line(panel, s.label, "error", batch_of(s), panel.k, s.result.error,
             measurement_at(s.result, panel.k));
  if (!panel.prediction) return;
  const Prediction& p = *panel.prediction;
  for (std::size_t i = 0; i < p.batches.size(); ++i) {
    csv.line(panel, "predicted", "error", shortest(p.batches[i]), panel.k, {{}, {}, {}, {p.rms[i]}},
             0);
    csv.line(panel, "certified", "error", shortest(p.batches[i]), panel.k,
             {{}, {}, {}, {p.certified[i]}}, 0);
  }
}

std::string paths_csv(const Figure& figure) {
  std::string out = "panel,series,batch,k,x1,x2,error_median,error_p5,error_p95\n";
  for (const PanelResult& panel : figure.panels)
    for (const Series& s : panel.series)
      for (std::size_t m = 0; m < drawn(panel, s); ++m)
        out += fmt::format("{},{},{},{},{},{},{},{},{}\n", cell(panel.spec->title), cell(s.label),
                           batch_of(s), s.result.iterations[m], shortest(s.result.path[m][0]),
                           shortest(s.result.path[m].at(1)), shortest(s.result.error.median[m]),
                           shortest(s.result.error.low[m]), shortest(s.result.error.high[m]));
  return out;
}

std::string rows(const std::vector<std::vector<std::string>>& table) {
  std::string out;
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i ? "," : "") + cell(row[i]);
    out += '\n';
  }
  return out;
}

// The iterations in the table of the paper, without constant factors; empty if the method is not
// in it.
std::string order_of(const PanelResult& panel, const Series& s) {
  const ProblemFacts& f = panel.facts;
  const theory::MatrixNumbers numbers{f.lambda_min, f.lambda_max, f.frobenius2, f.cols, 1.0};
  const std::string wanted = s.result.method == "hbm"   ? "HBM"
                             : s.result.method == "rk"  ? "RK"
                             : s.result.method == "ark" ? "ARK, printed"
                             : s.result.method == "minibatch-hbm" && s.c == 1.0
                                 ? "Minibatch-HBM, printed"
                                 : "";
  for (const theory::TableRow& row : theory::iteration_table(numbers, f.rows))
    if (row.method == wanted) return fmt::format("{:.0f}", row.iterations);
  return "";
}

std::string whole(double value) { return fmt::format("{:.0f}", value); }

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

// The step size that follows from for_batch, for a panel and momentum.
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

std::string csv_of(const Figure& figure) {
  if (figure.spec.kind == Kind::paths) return paths_csv(figure);
  if (figure.spec.kind == Kind::table) return rows(table_of(figure));
  Csv csv;
  for (const PanelResult& panel : figure.panels) {
    if (figure.spec.kind == Kind::batches)
      add_batches(csv, panel);
    else
      add_curves(csv, panel);
  }
  return csv.take();
}

std::string claims_json(const std::vector<Claim>& claims, const std::vector<std::string>& figures,
                        const std::string& before) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  const auto earlier = nlohmann::ordered_json::parse(before, nullptr, false);
  for (const auto& one : earlier.is_array() ? earlier : out) {
    const bool other = one.is_object() && one.contains("figure") && one["figure"].is_string() &&
                       std::find(figures.begin(), figures.end(), one["figure"]) == figures.end();
    if (other) out.push_back(one);
  }
  for (const Claim& claim : claims) {
    nlohmann::ordered_json one{{"figure", claim.figure}};
    if (!claim.panel.empty()) one["panel"] = claim.panel;
    one["claim"] = claim.claim;
    one["expected"] = claim.expected;
    one["measured"] = claim.measured;
    one["pass"] = nullptr;
    if (claim.pass) one["pass"] = *claim.pass;
    if (!claim.reason.empty()) one["not_applicable"] = claim.reason;
    out.push_back(one);
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::vector<std::string>> table_of(const Figure& figure) {
  std::vector<std::vector<std::string>> out = {
      {"problem", "method", "batch", "paper_order", "predicted_iterations", "measured_iterations",
       "rows_per_iteration", "predicted_row_products", "measured_row_products"}};
  for (const PanelResult& panel : figure.panels)
    for (const Series& s : panel.series) {
      const double rows = s.result.rows_per_iteration;
      const auto steps = steps_to(s.result, figure.spec.steps_tol);
      out.push_back({panel.spec->title, s.label,
                     s.result.batch ? std::to_string(*s.result.batch) : "", order_of(panel, s),
                     s.predicted ? whole(*s.predicted) : "",
                     steps ? std::to_string(*steps) : "not reached", whole(rows),
                     s.predicted ? whole(*s.predicted * rows) : "",
                     steps ? whole(static_cast<double>(*steps) * rows) : ""});
    }
  return out;
}

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

}  // namespace polyak::experiments::internal
