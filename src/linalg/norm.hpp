#pragma once

// ‖v‖ of a few numbers, summed in their order.

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/types.hpp"

namespace polyak {

/// Of numbers whose squares are in range.
inline double norm(const double* v, Index count) {
  double sum = 0.0;
  for (Index j = 0; j < count; ++j) sum += v[j] * v[j];
  return std::sqrt(sum);
}

/// Of numbers of any size, by the largest of them; NaN where one is not finite.
inline double norm_of_any_size(const double* v, Index count) {
  double largest = 0.0;
  for (Index j = 0; j < count; ++j) {
    if (!std::isfinite(v[j])) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(v[j]));
  }
  if (largest == 0.0) return 0.0;
  double sum = 0.0;
  for (Index j = 0; j < count; ++j) sum += (v[j] / largest) * (v[j] / largest);
  return largest * std::sqrt(sum);
}

}  // namespace polyak
