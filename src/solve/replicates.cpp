#include "polyak/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "solve/engine.hpp"

namespace polyak {
namespace {

double relative_error(ConstView x, ConstView reference) {
  double away = 0.0, size = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double e = x.data[i] - reference.data[i];
    away += e * e;
    size += reference.data[i] * reference.data[i];
  }
  const double error = std::sqrt(size > 0.0 ? away / size : away);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<double> Replicates::percentile(double p) const {
  std::vector<double> out, column(errors.size());
  for (std::size_t m = 0; m < iterations.size(); ++m) {
    for (std::size_t r = 0; r < errors.size(); ++r) column[r] = errors[r][m];
    std::sort(column.begin(), column.end());
    const double place = p / 100.0 * static_cast<double>(column.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, column.size() - 1);
    const double part = place - static_cast<double>(low);
    const bool between = part > 0.0 && column[low] < column[high];  // inf − inf is no number
    out.push_back(between ? column[low] + part * (column[high] - column[low]) : column[low]);
  }
  return out;
}

Replicates run_replicates(const Problem& problem, const SolveOptions& options, Index runs,
                          Index iterations, Index every) {
  if (!problem.has_reference() || runs < 1 || every < 1 || iterations < 0) {
    throw Error(ErrorCode::usage,
                {.what = "replicates need a reference solution, at least one run and a positive "
                         "interval"});
  }
  Engine engine(problem, options);
  Replicates out;
  for (Index k = 0; k <= iterations; k += every) out.iterations.push_back(k);
  for (Index r = 0; r < runs; ++r) {
    auto method = engine.start(options.stream + static_cast<std::uint64_t>(r));
    std::vector<double> errors;
    for (Index k : out.iterations) {
      if (k > 0) method->advance(k - every, k);
      errors.push_back(relative_error(method->x(), problem.reference()));
    }
    out.errors.push_back(std::move(errors));
  }
  return out;
}

}  // namespace polyak
