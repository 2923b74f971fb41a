// Iterations and row products to a tolerance, predicted beside measured.

#include <fmt/format.h>

#include "experiments/outputs.hpp"
#include "polyak/theory.hpp"

namespace polyak::experiments {
namespace {

// The paper's own table, where it has the method: constants left out.
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

}  // namespace

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

}  // namespace polyak::experiments
