#pragma once

// What the Krylov methods share.

#include <algorithm>
#include <cmath>
#include <vector>

#include "method/method.hpp"

namespace polyak {

/// ‖y_k‖² of each vector.
inline std::vector<double> squares(Backend& backend, const Block& y) {
  std::vector<double> out(to_size(y.vectors()));
  backend.dot(y, y, out);
  return out;
}

inline bool all_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0; });
}

inline std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

/// a_k·b of each.
inline std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace polyak
