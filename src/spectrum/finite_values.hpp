#pragma once

// Values that are not finite, and sizes whose squares are: for the facts about A and b.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "polyak/error.hpp"
#include "polyak/problem.hpp"

namespace polyak {

// With binary exponents up to this size squares, sums and products neither overflow nor underflow.
constexpr int safe_exponent = 200;

[[noreturn]] inline void refuse_value(const std::string& where, double value) {
  throw Error(ErrorCode::bad_data, {.what = "a value is not finite",
                                    .where = where + " (counted from 1)",
                                    .found = std::to_string(value),
                                    .expected = "a finite number",
                                    .hint = "remove or repair that row"});
}

inline int exponent_of(double v) { return std::clamp(std::ilogb(v), -1000, 1000); }

/// 2^-e with 2^e near `largest`, or 1 if the exponent is safe.
inline double power_of_two_for(double largest) {
  const bool safe = largest == 0.0 || std::abs(exponent_of(largest)) <= safe_exponent;
  return safe ? 1.0 : std::ldexp(1.0, -exponent_of(largest));
}

/// The larger of `largest` and |v|; infinity where v is not finite.
inline double larger_finite(double largest, double v) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  v = std::abs(v);
  return v <= largest ? largest : v < infinity ? v : infinity;  // NaN is not smaller
}

/// The largest |v|, infinity where one is not finite.
inline double largest_finite(const double* values, Index count) {
  double largest = 0.0;
  for (Index i = 0; i < count; ++i) largest = larger_finite(largest, values[i]);
  return largest;
}

/// Rows of weight 0 take no part in any sum: their values must be finite, and that is all.
inline bool takes_part(const Problem& problem, Index i) {
  return problem.weights().empty() || problem.weights()[to_size(i)] > 0.0;
}

/// Of all rows, and of those that take part.
struct Largest {
  double any = 0.0, taking_part = 0.0;
};

}  // namespace polyak
