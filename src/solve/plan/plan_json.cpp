#include <cmath>
#include <nlohmann/json.hpp>

#include "polyak/plan.hpp"
#include "polyak/version.hpp"

namespace polyak {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json("inf"); }

template <class Value>
void put(Json& out, const char* name, const std::optional<Value>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<Value, double>)
    out[name] = number(*value);
  else
    out[name] = *value;
}

Json row_json(const PlanRow& row) {
  Json out;
  out["method"] = row.method;
  put(out, "batch", row.batch);
  put(out, "step_size", row.step_size);
  put(out, "momentum", row.momentum);
  put(out, "rate", row.rate);
  out["kind"] = row.kind;
  put(out, "certified_rate", row.certified_rate);
  put(out, "stability_number", row.stability_number);
  put(out, "iterations", row.iterations);
  put(out, "row_products", row.row_products);
  put(out, "passes", row.passes);
  put(out, "seconds", row.seconds);
  if (!row.note.empty()) out["note"] = row.note;
  return out;
}

Json look_json(const AutomaticPlan::Look& look) {
  Json out{{"rows_solved", look.rows_solved},
           {"rows_checked", look.rows_checked},
           {"rank", look.rank},
           {"condition", number(look.condition)}};
  put(out, "relative_residual", look.relative_residual);
  out["consistent"] = look.consistent;
  return out;
}

Json automatic_json(const AutomaticPlan& plan) {
  Json out;
  out["rows_to_look_at"] = plan.rows_to_look_at;
  if (plan.rows_to_look_at > 0) {
    out["look_seconds"] = plan.look_seconds;
    out["look_bytes"] = plan.look_bytes;
  }
  if (plan.look) out["look"] = look_json(*plan.look);
  out["steps"] = Json::array();
  for (const AutomaticPlan::Step& step : plan.steps) {
    Json one{{"method", step.method}, {"why", step.why}, {"predicted_seconds", step.seconds}};
    put(one, "tol", step.tol);
    put(one, "passes", step.passes);
    one["memory_bytes"] = step.memory_bytes;
    out["steps"].push_back(std::move(one));
  }
  out["ruled_out"] = Json::array();
  for (const AutomaticPlan::RuledOut& method : plan.ruled_out)
    out["ruled_out"].push_back({{"method", method.method}, {"why", method.why}});
  return out;
}

}  // namespace

std::string to_json(const AutomaticPlan& plan) { return automatic_json(plan).dump(2) + "\n"; }

std::string to_json(const PlanReport& plan) {
  Json out;
  out["rows"] = plan.rows;
  out["cols"] = plan.cols;
  out["nnz"] = plan.nnz;
  out["matrix"] = plan.matrix;
  out["zero_rows"] = plan.zero_rows;
  out["zero_columns"] = plan.zero_columns;
  out["duplicate_rows"] = plan.duplicate_rows;
  out["frobenius2"] = plan.frobenius2;
  out["lambda_min"] = plan.lambda_min;
  out["lambda_max"] = plan.lambda_max;
  out["spectrum_source"] = plan.spectrum_source;
  if (!plan.lambda_min_range.empty()) out["lambda_min_range"] = plan.lambda_min_range;
  if (!plan.lambda_max_range.empty()) out["lambda_max_range"] = plan.lambda_max_range;
  out["kappa"] = number(plan.kappa);
  out["kappa_bar"] = number(plan.kappa_bar);
  put(out, "rank", plan.rank);
  put(out, "rank_threshold", plan.rank_threshold);
  for (const auto& [column, on] : plan.dependent_columns)
    out["dependent_columns"].push_back({{"column", column}, {"on", on}});
  out["sampling"] = plan.sampling;
  out["eta"] = plan.eta;
  put(out, "eta_effective", plan.eta_effective);
  put(out, "relative_residual", plan.relative_residual);
  out["tol"] = plan.tol;
  if (plan.automatic) out["automatic"] = automatic_json(*plan.automatic);
  out["table"] = Json::array();
  for (const PlanRow& row : plan.table) out["table"].push_back(row_json(row));
  if (!plan.table.empty()) out["recommended"] = row_json(plan.table[plan.recommended]);
  out["remarks"] = plan.remarks;
  out["seconds"] = plan.seconds;
  out["version"] = version_string;
  return out.dump(2) + "\n";
}

}  // namespace polyak
