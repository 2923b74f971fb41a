#include "experiments/result.hpp"

#include <cmath>

#include "polyak/replicates.hpp"

namespace polyak::experiments {

Curve summarise(const std::vector<std::vector<double>>& runs) {
  Curve out;
  if (runs.empty()) return out;
  std::vector<double> column(runs.size());
  for (std::size_t m = 0; m < runs[0].size(); ++m) {
    double squares = 0.0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const double first = runs[r][0];
      column[r] = first > 0.0 ? runs[r][m] / first : runs[r][m];
      squares += column[r] * column[r];
    }
    out.median.push_back(percentile(column, 50));
    out.low.push_back(percentile(column, 5));
    out.high.push_back(percentile(column, 95));
    out.rms.push_back(std::sqrt(squares / static_cast<double>(runs.size())));
  }
  return out;
}

}  // namespace polyak::experiments
