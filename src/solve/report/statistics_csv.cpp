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

std::string statistics_csv(const Report& report, const std::vector<std::string>& names) {
  const Statistics statistics = report.statistics.value_or(Statistics{});
  const bool several = report.x.cols() > 1;
  std::string out = several ? "right_hand_side," : "";
  out += "name,estimate,standard_error,t_value\n";
  for (Index c = 0; c < report.x.cols(); ++c) {
    for (Index j = 0; j < report.x.rows(); ++j) {
      if (several) out += fmt::format("{},", c + 1);
      out += fmt::format("{},{},{},{}\n",
                         names.empty() ? fmt::format("x{}", j + 1) : quoted(names[to_size(j)]),
                         cell(report.x, j, c), cell(statistics.standard_errors, j, c),
                         cell(statistics.t_values, j, c));
    }
  }
  return out;
}

}  // namespace polyak
