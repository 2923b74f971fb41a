#pragma once

// Values to and from a JSON manifest and one long list of doubles. Vectors of doubles are in
// the list, and the manifest has their position: [first, count]. Numbers keep their bits in
// both (in JSON they are printed such that reading gives the same double).

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "polyak/snapshot.hpp"
#include "solve/report/fields.hpp"

namespace polyak {

// The fields of a report are in solve/report/fields.hpp.

template <>
struct Fields<SolverState> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("iteration", &SolverState::iteration);
    visit("row_products", &SolverState::row_products);
    visit("vectors", &SolverState::vectors);
  }
};

template <>
struct Fields<RunState> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("method", &RunState::method);
    visit("next_measurement", &RunState::next_measurement);
    visit("history", &RunState::history);
    visit("distances", &RunState::distances);
    visit("looks", &RunState::looks);
    visit("best", &RunState::best);
    visit("best_line", &RunState::best_line);
    visit("best_gradient", &RunState::best_gradient);
    visit("best_backward_error", &RunState::best_backward_error);
    visit("first_residual", &RunState::first_residual);
    visit("largest_x", &RunState::largest_x);
    visit("retreats", &RunState::retreats);
    visit("measured_rows", &RunState::measured_rows);
    visit("solve_seconds", &RunState::solve_seconds);
    visit("measure_seconds", &RunState::measure_seconds);
  }
};

template <>
struct Fields<Snapshot> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("finished", &Snapshot::finished);
    visit("run", &Snapshot::run);
    visit("disk", &Snapshot::disk);
  }
};

}  // namespace polyak

namespace polyak::checkpoint {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(std::vector<double>& numbers) : numbers_(numbers) {}

  template <HasFields Value>
  Json put(const Value& value) {
    Json out = Json::object();
    Fields<Value>::visit([&](const char* name, auto member, auto... roles) {
      if constexpr (!has_role<JsonOnly, decltype(roles)...>) out[name] = put(value.*member);
    });
    return out;
  }

 private:
  template <class Value>
  requires std::is_integral_v<Value> Json put(const Value& value) { return value; }
  Json put(const double& value) {  // JSON has no infinity
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  Json put(const std::string& value) { return value; }
  Json put(const Status& value) { return to_string(value); }
  Json put(const StoppedBy& value) { return to_string(value); }
  Json put(const Array& value) {
    return {value.rows(), value.cols(), keep(value.view().data, to_size(value.view().size()))};
  }
  Json put(const std::vector<double>& value) { return keep(value.data(), value.size()); }
  template <class Value>
  Json put(const std::optional<Value>& value) {
    return value ? put(*value) : Json(nullptr);
  }
  template <class Value>
  Json put(const std::vector<Value>& values) {
    Json out = Json::array();
    for (const Value& value : values) out.push_back(put(value));
    return out;
  }
  // Appends to the list of doubles; returns the position.
  Json keep(const double* data, std::size_t count) {
    const std::size_t first = numbers_.size();
    numbers_.insert(numbers_.end(), data, data + count);
    return Json::array({first, count});
  }

  std::vector<double>& numbers_;
};

/// Throws exceptions of nlohmann::json, or std::out_of_range, if the contents are wrong.
class Reader {
 public:
  explicit Reader(const std::vector<double>& numbers) : numbers_(numbers) {}

  template <HasFields Value>
  void get(const Json& in, Value& value) {
    Fields<Value>::visit([&](const char* name, auto member, auto... roles) {
      if constexpr (!has_role<JsonOnly, decltype(roles)...>) get(in.at(name), value.*member);
    });
  }

 private:
  template <class Value>
  requires std::is_integral_v<Value>
  void get(const Json& in, Value& value) { value = in.get<Value>(); }
  void get(const Json& in, double& value) {
    if (in.is_number())
      value = in.get<double>();
    else if (in == "nan")
      value = std::numeric_limits<double>::quiet_NaN();
    else
      value = (in == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
  }
  void get(const Json& in, std::string& value) { value = in.get<std::string>(); }
  void get(const Json& in, Status& value) {
    for (Status status : {Status::converged, Status::limit, Status::diverged, Status::stagnated,
                          Status::interrupted})
      if (in == to_string(status)) return void(value = status);
    throw std::out_of_range("no such status");
  }
  void get(const Json& in, StoppedBy& value) {
    const auto rule = stopped_by_named(in.get<std::string>());
    if (!rule) throw std::out_of_range("no such rule");
    value = *rule;
  }
  void get(const Json& in, Array& value) {
    std::vector<double> data;
    get(in.at(2), data);
    const Index rows = in.at(0).get<Index>(), cols = in.at(1).get<Index>();
    if (rows < 0 || cols < 0 || std::ssize(data) != rows * cols)
      throw std::out_of_range("an array of another shape");
    if (!data.empty()) value = Array(std::move(data), rows, cols);
  }
  void get(const Json& in, std::vector<double>& value) {
    const auto first = in.at(0).get<std::size_t>(), count = in.at(1).get<std::size_t>();
    if (first > numbers_.size() || count > numbers_.size() - first)
      throw std::out_of_range("an array beyond the end");
    const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(first);
    value.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  template <class Value>
  void get(const Json& in, std::optional<Value>& value) {
    if (in.is_null()) return value.reset();
    get(in, value.emplace());
  }
  template <class Value>
  void get(const Json& in, std::vector<Value>& values) {
    values.clear();
    for (const Json& item : in) get(item, values.emplace_back());
  }

  const std::vector<double>& numbers_;
};

}  // namespace polyak::checkpoint
