#include <fmt/format.h>

#include "polyak/report.hpp"

namespace polyak {
namespace {

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

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
