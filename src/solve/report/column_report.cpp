#include "solve/report/column_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyak {
namespace {

// In the working variables ã_j = unit_j·(a_j − centre_j), and the last column is unit_d·1, a column
// that depends on others is, in A,
//   a_j = Σ_k by_k·(unit_k/unit_j)·(a_k − centre_k) + by_d·unit_d/unit_j + centre_j.
// True where the constant terms of this do not cancel.
bool needs_intercept(const Dependence& one, const ColumnMap& map) {
  constexpr double noticed = 1e-9;  // of the terms; less may be rounding
  const auto centre = [&](Index j) { return map.centred() ? map.centre[to_size(j)] : 0.0; };
  const Index ones = std::ssize(map.units) - 1;
  double constant = centre(one.column), size = std::abs(constant);
  for (std::size_t k = 0; k < one.on.size(); ++k) {
    const Index j = one.on[k];
    const double factor = one.by[k] * map.units[to_size(j)] / map.units[to_size(one.column)];
    const double term = j == ones ? factor : -factor * centre(j);
    constant += term;
    size += std::abs(term);
  }
  return std::abs(constant) > noticed * size;
}

}  // namespace

std::string scaling_text(const ColumnMap& map) {
  const auto one = [](double u) { return u == 1.0; };
  if (!map.centred() && std::all_of(map.units.begin(), map.units.end(), one)) return {};
  int smallest = std::numeric_limits<int>::max(), largest = std::numeric_limits<int>::min();
  for (const double u : map.units) {
    if (u == 0.0) continue;
    smallest = std::min(smallest, std::ilogb(u));
    largest = std::max(largest, std::ilogb(u));
  }
  const char* centred = map.centred() ? ", centred" : "";
  return fmt::format("columns times 2^{} to 2^{}{}", smallest, largest, centred);
}

// A constant column is zero in the working variables, and depends on the intercept.
DependentColumn in_user_columns(const Dependence& one, const ColumnMap* map, bool constant) {
  if (!map || !map->ones) return {one.column, one.on};
  const Index intercept = std::ssize(map->units) - 1;
  if (constant) return {one.column, {intercept}};
  if (one.on.empty() || one.column == intercept) return {one.column, one.on};
  DependentColumn out{one.column, one.on};
  std::erase(out.on, intercept);
  if (needs_intercept(one, *map)) out.on.insert(out.on.begin(), intercept);
  return out;
}

void warn_of_rank(const Unknowns& unknowns, const Used& used, bool nearest, Report& report) {
  constexpr double max_condition = 1e8;
  if (used.rank && *used.rank < unknowns.count && !unknowns.ridge) {
    const std::string line =
        used.rank_threshold
            ? fmt::format(" (singular values above {:.1e} of the largest)", *used.rank_threshold)
            : "";
    std::string text = fmt::format(
        "A has rank {} of {} columns to working precision{}: {}", *used.rank, unknowns.count, line,
        unknowns.bounds ? "within the bounds other x may fit as well"
        : nearest
            ? "the solution is not unique; from a zero start this is the one of least norm"
            : "the solution is not unique, and the one of least norm would not fit as well, by "
              "rounding");
    if (report.method == "normal" && !std::isfinite(used.condition.value_or(1.0)))
      text += "; A'A resolves no more, the method direct tells the rank of A itself";
    if (!report.dependent_columns.empty())
      text += "; " + dependences_text(report.dependent_columns, [&](Index j) {
                const bool intercept = unknowns.intercept && j == unknowns.count - 1;
                return intercept ? "the intercept" : fmt::format("column {}", j + 1);
              });
    report.warnings.push_back(std::move(text));
  } else if (used.condition.value_or(1.0) > max_condition) {
    report.warnings.push_back(fmt::format(
        "the condition of A is {}{}: rounding and noise in A and b may be that much larger in x",
        std::isfinite(*used.condition) ? "" : "beyond what A'A can tell",
        std::isfinite(*used.condition) ? fmt::format("about {:.1e}", *used.condition) : ""));
  }
}

}  // namespace polyak
