#include "polyak/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "polyak/version.hpp"
#include "solve/report/fields.hpp"

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

template <class Struct>
Json fields_json(const Struct& of);

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

// One number per right-hand side; null for one that is not there.
Json list_json(const std::vector<double>& values) {
  Json out = Json::array();
  for (double v : values) out.push_back(std::isfinite(v) ? Json(v) : Json());
  return out;
}

// One list per right-hand side.
Json list_json(const Array& values) {
  Json out = Json::array();
  for (Index c = 0; c < values.cols(); ++c) {
    std::vector<double> column;
    for (Index j = 0; j < values.rows(); ++j) column.push_back(values(j, c));
    out.push_back(list_json(column));
  }
  return out;
}

Json statistics_json(const Statistics& statistics) {
  Json out;
  const auto put = [&](const char* name, const auto& value) {
    if (value) out[name] = *value;
  };
  const auto put_list = [&](const char* name, const auto& values) {
    if (!values.empty()) out[name] = list_json(values);
  };
  const auto put_sides = [&](const char* name, const auto& sides) {
    for (const auto& value : sides) out[name].push_back(value ? Json(*value) : Json());
  };
  out["observations"] = statistics.observations;
  put("rank", statistics.rank);
  put("degrees_of_freedom", statistics.degrees_of_freedom);
  out["residual_sum_of_squares"] = list_json(statistics.residual_sum_of_squares);
  put_list("residual_variance", statistics.residual_variance);
  put_sides("r_squared", statistics.r_squared);
  if (!statistics.r_squared.empty()) out["r_squared_about"] = statistics.centred ? "mean" : "zero";
  put_list("standard_errors", statistics.standard_errors);
  put_list("t_values", statistics.t_values);
  put_list("p_values", statistics.p_values);
  put_sides("adjusted_r_squared", statistics.adjusted_r_squared);
  put_sides("f_statistic", statistics.f_statistic);
  put_sides("f_p_value", statistics.f_p_value);
  put_sides("aic", statistics.aic);
  put_sides("bic", statistics.bic);
  put("distance", statistics.distance);
  return out;
}

/// A struct with a list of fields, as JSON. A field that is absent, or a number that is not
/// finite (JSON has no infinity), is left out.
template <class Struct>
class FieldsJson {
 public:
  explicit FieldsJson(const Struct& of) : of_(of) {}

  template <class Value, class... Roles>
  void operator()(const char* name, Value Struct::*member, Roles...) {
    if constexpr (!has_role<SavedOnly, Roles...>) {
      const Value& value = of_.*member;
      if constexpr (has_role<IfAny, Roles...>)
        if (value.empty()) return;
      put(name, value);
    }
  }
  Json take() { return std::move(out_); }

 private:
  template <class Value>
  void put(const char* name, const Value& value) {
    out_[name] = json(value);
  }
  template <class Value>
  void put(const char* name, const std::optional<Value>& value) {
    if (value) put(name, *value);
  }
  void put(const char* name, double value) {
    if (std::isfinite(value)) out_[name] = value;
  }

  template <class Value>
  static Json json(const Value& value) {
    return value;
  }
  static Json json(Status status) { return to_string(status); }
  static Json json(StoppedBy rule) { return to_string(rule); }
  static Json json(const std::vector<Look>& looks) { return looks.size(); }
  static Json json(const Statistics& statistics) { return statistics_json(statistics); }
  static Json json(const SolveOptions& asked) { return asked_json(asked); }
  template <HasFields Value>
  static Json json(const Value& value) {
    return fields_json(value);
  }
  template <HasFields Value>
  static Json json(const std::vector<Value>& values) {
    Json out = Json::array();
    for (const Value& value : values) out.push_back(fields_json(value));
    return out;
  }

  const Struct& of_;
  Json out_ = Json::object();
};

template <class Struct>
Json fields_json(const Struct& of) {
  FieldsJson<Struct> out(of);
  Fields<Struct>::visit(out);
  return out.take();
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
  Json out = {{"schema", schema_version}};
  out.update(fields_json(report));
  out["version"] = version_string;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string dependences_text(const std::vector<DependentColumn>& columns,
                             const std::function<std::string(Index)>& name) {
  constexpr std::size_t columns_shown = 5, terms_shown = 6;
  std::string out;
  for (std::size_t k = 0; k < std::min(columns_shown, columns.size()); ++k) {
    const auto& [column, on] = columns[k];
    out += (k == 0 ? "" : "; ") + name(column) + (on.empty() ? " is zero" : " depends on ");
    for (std::size_t i = 0; i < std::min(terms_shown, on.size()); ++i)
      out += (i == 0 ? "" : ", ") + name(on[i]);
    if (on.size() > terms_shown) out += fmt::format(" and {} others", on.size() - terms_shown);
  }
  return columns.size() > columns_shown
             ? out + fmt::format("; {} more in the report", columns.size() - columns_shown)
             : out;
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
