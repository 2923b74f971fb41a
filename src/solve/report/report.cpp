#include "polyak/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "polyak/version.hpp"

namespace polyak {
namespace {

// In the order of StoppedBy.
constexpr const char* rule_names[] = {
    "residual",   "gradient", "backward_error", "sampled_rows", "no_entries", "method_end",
    "unresolved", "plateau",  "extrapolation",  "inconsistent", "iterations", "passes",
    "seconds",    "request",  "growth",         "overflow"};
static_assert(std::size(rule_names) == static_cast<std::size_t>(StoppedBy::overflow) + 1);

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

using Json = nlohmann::ordered_json;
constexpr int schema_version = 1;

// JSON has no infinity: a number that is not finite is left out like one that
// was not measured.
template <class Value>
void put(Json& object, const char* name, const std::optional<Value>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<Value, double>)
    if (!std::isfinite(*value)) return;
  object[name] = *value;
}
void put(Json& object, const char* name, double value) {
  put(object, name, std::optional<double>(value));
}

template <class Value>
Json asked_value(const Value& value) {
  return value;
}
template <class Value>
Json asked_value(const std::optional<Value>& value) {
  return value ? Json(*value) : Json("auto");
}

Json asked_json(const SolveOptions& options) {
  Json out = Json::object();
  for (const auto& record : solve_options()) {
    std::string name = record.name;
    for (char& ch : name)
      if (ch == '-') ch = '_';
    out[name] = std::visit([&](auto member) { return asked_value(options.*member); }, record.field);
  }
  return out;
}

Json used_json(const Used& used) {
  Json out = Json::object();
  put(out, "step_size", used.step_size);
  put(out, "momentum", used.momentum);
  put(out, "batch", used.batch);
  put(out, "sampling", used.sampling);
  put(out, "lambda_min", used.lambda_min);
  put(out, "lambda_max", used.lambda_max);
  put(out, "lambda_min_source", used.lambda_min_source);
  put(out, "lambda_max_source", used.lambda_max_source);
  if (!used.lambda_min_range.empty()) out["lambda_min_range"] = used.lambda_min_range;
  if (!used.lambda_max_range.empty()) out["lambda_max_range"] = used.lambda_max_range;
  put(out, "frobenius2", used.frobenius2);
  put(out, "eta", used.eta);
  put(out, "eta_effective", used.eta_effective);
  put(out, "parameters", used.parameters);
  put(out, "predicted_rate", used.predicted_rate);
  put(out, "predicted_rate_kind", used.predicted_rate_kind);
  put(out, "ark_mu", used.ark_mu);
  put(out, "ark_nu", used.ark_nu);
  put(out, "rank", used.rank);
  put(out, "rank_threshold", used.rank_threshold);
  put(out, "sketch_rows", used.sketch_rows);
  put(out, "condition", used.condition);
  put(out, "column_scaling", used.column_scaling);
  put(out, "device", used.device);
  put(out, "exchange", used.exchange);
  put(out, "tol", used.tol);
  return out;
}

Json stages_json(const std::vector<Stage>& stages) {
  Json out = Json::array();
  for (const Stage& stage : stages) {
    Json one = {{"method", stage.method}, {"why", stage.why}};
    put(one, "predicted_seconds", stage.predicted_seconds);
    one["seconds"] = stage.seconds;
    one["outcome"] = stage.outcome;
    out.push_back(std::move(one));
  }
  return out;
}

// One number per right-hand side; null for one that is not there.
Json list_json(const std::vector<double>& values) {
  Json out = Json::array();
  for (double v : values) out.push_back(std::isfinite(v) ? Json(v) : Json());
  return out;
}

// One list per right-hand side.
void put(Json& object, const char* name, const Array& values) {
  if (values.empty()) return;
  Json out = Json::array();
  for (Index c = 0; c < values.cols(); ++c) {
    std::vector<double> column;
    for (Index j = 0; j < values.rows(); ++j) column.push_back(values(j, c));
    out.push_back(list_json(column));
  }
  object[name] = std::move(out);
}

Json statistics_json(const Statistics& statistics) {
  Json out;
  out["observations"] = statistics.observations;
  put(out, "rank", statistics.rank);
  put(out, "degrees_of_freedom", statistics.degrees_of_freedom);
  out["residual_sum_of_squares"] = list_json(statistics.residual_sum_of_squares);
  if (!statistics.residual_variance.empty())
    out["residual_variance"] = list_json(statistics.residual_variance);
  if (!statistics.r_squared.empty()) {
    out["r_squared"] = Json::array();
    for (const auto& r2 : statistics.r_squared) out["r_squared"].push_back(r2 ? Json(*r2) : Json());
    out["r_squared_about"] = statistics.centred ? "mean" : "zero";
  }
  put(out, "standard_errors", statistics.standard_errors);
  put(out, "t_values", statistics.t_values);
  put(out, "distance", statistics.distance);
  return out;
}

void put_norms(Json& out, const Report& report) {
  put(out, "residual_norm", report.residual_norm);
  put(out, "gradient_norm", report.gradient_norm);
  put(out, "relative_residual", report.relative_residual);
  put(out, "relative_gradient", report.relative_gradient);
  put(out, "error", report.error);
  put(out, "backward_error", report.backward_error);
  put(out, "measured_rate", report.measured_rate);
}

}  // namespace

std::string to_string(StoppedBy rule) { return rule_names[static_cast<std::size_t>(rule)]; }

std::optional<StoppedBy> stopped_by_named(const std::string& name) {
  for (std::size_t i = 0; i < std::size(rule_names); ++i)
    if (name == rule_names[i]) return static_cast<StoppedBy>(i);
  return std::nullopt;
}

std::string to_string(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::limit: return "limit";
    case Status::diverged: return "diverged";
    case Status::stagnated: return "stagnated";
    case Status::interrupted: return "interrupted";
  }
  return "limit";
}

std::string to_json(const Report& report) {
  Json out;
  out["schema"] = schema_version;
  out["status"] = to_string(report.status);
  if (report.stopped_by) out["stopped_by"] = to_string(*report.stopped_by);
  out["reason"] = report.reason;
  out["method"] = report.method;
  out["iterations"] = report.iterations;
  out["row_products"] = report.row_products;
  out["measured_row_products"] = report.measured_row_products;
  if (!report.looks.empty()) out["looks"] = report.looks.size();
  out["passes"] = report.passes;
  out["bytes_read"] = report.bytes_read;
  put(out, "pages_read", report.pages_read);
  put_norms(out, report);
  if (report.statistics) out["statistics"] = statistics_json(*report.statistics);
  if (!report.certified.empty()) out["certified"] = report.certified;
  if (!report.stages.empty()) out["stages"] = stages_json(report.stages);
  out["asked"] = asked_json(report.asked);
  out["used"] = used_json(report.used);
  out["seconds"] = {{"read", report.seconds.read},
                    {"setup", report.seconds.setup},
                    {"setup_norms", report.seconds.norms},
                    {"setup_table", report.seconds.table},
                    {"setup_spectrum", report.seconds.spectrum},
                    {"solve", report.seconds.solve},
                    {"measure", report.seconds.measure},
                    {"total", report.seconds.total}};
  out["rows"] = report.rows;
  out["cols"] = report.cols;
  out["nnz"] = report.nnz;
  out["right_hand_sides"] = report.right_hand_sides;
  out["zero_rows"] = report.zero_rows;
  out["zero_columns"] = report.zero_columns;
  if (!report.dependent_columns.empty()) {
    out["dependent_columns"] = Json::array();
    for (const DependentColumn& one : report.dependent_columns)
      out["dependent_columns"].push_back({{"column", one.column}, {"on", one.on}});
  }
  out["matrix"] = report.matrix;
  out["seed"] = report.seed;
  out["threads"] = report.threads;
  out["simd"] = report.simd;
  out["warnings"] = report.warnings;
  out["version"] = version_string;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string history_csv(const std::vector<Measurement>& history) {
  std::string out =
      "iteration,row_products,seconds,residual_norm,gradient_norm,relative_residual,"
      "relative_gradient,error\n";
  for (const Measurement& m : history) {
    out += fmt::format("{},{},{:.6f},{},{},{},{},{}\n", m.iteration, m.row_products, m.seconds,
                       m.residual_norm, m.gradient_norm, cell(m.relative_residual),
                       cell(m.relative_gradient), cell(m.error));
  }
  return out;
}

}  // namespace polyak
