#include <fmt/format.h>

#include <cmath>

#include "polyak/report.hpp"

namespace polyak {
namespace {

std::string quoted(const std::string& name) {
  if (!name.empty() && name.find_first_of("\",;\t\r\n# ") == std::string::npos) return name;
  std::string out = "\"";
  for (char ch : name) {
    if (ch == '"') out += ch;
    out += ch == '\n' || ch == '\r' ? ' ' : ch;  // a row stays a line
  }
  return out + "\"";
}

std::string cell(const Array& values, Index j, Index c) {
  const bool there = !values.empty() && std::isfinite(values(j, c));
  return there ? fmt::format("{}", values(j, c)) : "";
}

}  // namespace

std::string statistics_csv(const Report& report, const std::vector<std::string>& names,
                           double confidence) {
  const Statistics statistics = report.statistics.value_or(Statistics{});
  const Array& errors = statistics.standard_errors;
  const double t =
      errors.empty() ? 0.0 : student_quantile(confidence, *statistics.degrees_of_freedom);
  const auto limit = [&](Index j, Index c, double side) {
    const double value = errors.empty() ? std::nan("") : report.x(j, c) + side * t * errors(j, c);
    return std::isfinite(value) ? fmt::format("{}", value) : "";
  };
  const bool several = report.x.cols() > 1;
  std::string out = several ? "right_hand_side," : "";
  out += "name,estimate,standard_error,t_value,p_value,lower,upper\n";
  for (Index c = 0; c < report.x.cols(); ++c) {
    for (Index j = 0; j < report.x.rows(); ++j) {
      if (several) out += fmt::format("{},", c + 1);
      out += fmt::format("{},{},{},{},{},{},{}\n",
                         names.empty() ? fmt::format("x{}", j + 1) : quoted(names[to_size(j)]),
                         cell(report.x, j, c), cell(statistics.standard_errors, j, c),
                         cell(statistics.t_values, j, c), cell(statistics.p_values, j, c),
                         limit(j, c, -1.0), limit(j, c, 1.0));
    }
  }
  return out;
}

}  // namespace polyak
