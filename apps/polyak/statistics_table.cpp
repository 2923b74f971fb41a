#include "statistics_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polyak::cli {
namespace {

constexpr std::size_t most_told = 4;  // right-hand sides in one line

std::string number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "-";
}
std::string entry(const Array& values, Index j, Index c) {
  return values.empty() ? "-" : number(values(j, c));
}

template <class Values>
std::string joined(const Values& values) {
  std::string out;
  for (std::size_t c = 0; c < std::min(values.size(), most_told); ++c)
    out += (c ? " | " : "") + number(values[c]);
  return values.size() > most_told ? out + " | ..." : out;
}

std::string name_of(const std::vector<std::string>& names, Index j) {
  return names.empty() ? "x" + std::to_string(j + 1) : names[to_size(j)];
}

}  // namespace

std::string statistics_line(const Statistics& statistics) {
  std::string out;
  if (!statistics.r_squared.empty())
    out += fmt::format("R squared {} about {}, ", joined(statistics.r_squared),
                       statistics.centred ? "the mean" : "zero");
  if (statistics.residual_variance.empty())
    return out + "residual sum of squares " + joined(statistics.residual_sum_of_squares);
  return out + fmt::format("residual variance {}, {:g} degrees of freedom",
                           joined(statistics.residual_variance), *statistics.degrees_of_freedom);
}

std::string statistics_table(const Report& report, const std::vector<std::string>& names) {
  const Statistics& statistics = *report.statistics;
  std::size_t width = 0;
  for (Index j = 0; j < report.x.rows(); ++j) width = std::max(width, name_of(names, j).size());
  const std::string heads = fmt::format("  {:<{}}  {:>12}  {:>14}  {:>10}\n", "", width, "estimate",
                                        "standard error", "t value");
  std::string out;
  for (Index c = 0; c < report.x.cols(); ++c) {
    out += "\n";
    if (report.x.cols() > 1) out += fmt::format("  right-hand side {}\n", c + 1);
    out += heads;
    for (Index j = 0; j < report.x.rows(); ++j)
      out += fmt::format("  {:<{}}  {:>12}  {:>14}  {:>10}\n", name_of(names, j), width,
                         number(report.x(j, c)), entry(statistics.standard_errors, j, c),
                         entry(statistics.t_values, j, c));
  }
  return out;
}

}  // namespace polyak::cli
