#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/outputs.hpp"

namespace polyak::experiments {
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

// One line per number, the same columns for every kind of figure.
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

// Measurements beyond what this figure asked for (a longer run was there) stay out.
std::size_t drawn(const PanelResult& panel, const Series& series) {
  const Index last = series.spec->iterations.value_or(panel.spec->iterations);
  return place_of(series.result, last) + 1;
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
             place_of(s.result, panel.k));
  if (!panel.prediction) return;
  const Prediction& p = *panel.prediction;
  for (std::size_t i = 0; i < p.batches.size(); ++i) {
    csv.line(panel, "predicted", "error", shortest(p.batches[i]), panel.k, {{}, {}, {}, {p.rms[i]}},
             0);
    csv.line(panel, "certified", "error", shortest(p.batches[i]), panel.k,
             {{}, {}, {}, {p.certified[i]}}, 0);
  }
}

std::string paths(const Figure& figure) {
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

}  // namespace

std::string csv_of(const Figure& figure) {
  if (figure.spec.kind == Kind::paths) return paths(figure);
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

}  // namespace polyak::experiments
