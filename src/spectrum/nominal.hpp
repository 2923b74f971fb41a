#pragma once

// What AᵀA and a sketch cost, in seconds of a nominal machine of two cores with
// AVX-512 (bench/results). Constants, not measurements of the moment: choices made
// from them are the same every time and everywhere (method/costs.hpp).

#include <algorithm>

#include "spectrum/sparse_gram.hpp"

namespace polyak::nominal {

constexpr double gram_flops = 7.6e10;  // kernels/gram …
constexpr double half_speed = 30.0;    // … from some columns on; with so many half of that

constexpr double product_seconds = products_in_panels / gram_flops;  // spectrum/sparse_gram …
constexpr double place_seconds = 2e-9;   // … of an entry of H …
constexpr double row_seconds = 1e-8;     // … of a row of A …
constexpr double look_seconds = 5e-10;   // … and of a look for what it has in a band of H …
constexpr double hit_seconds = 5e-8;     // … and of an entry of A where H is far larger …
constexpr double far_columns = 4096.0;   // … than the caches, as with so many columns

constexpr double near_adds = 6.0e9;  // of kernels::gradient_step into L2 …
constexpr double far_adds = 2.0e9;   // … and into a sketch of more columns than fit
constexpr double near_columns = 256.0;

/// AᵀA of n × d numbers.
constexpr double dense_gram(double n, double d) {
  return n * d * (d + half_speed) / gram_flops;
}
inline double gram_by_entries(const GramSize& A) {
  const double width = A.d + A.c;
  const GramCuts cuts = gram_cuts(A);
  const double looks = cuts.bands > 1 ? static_cast<double>(cuts.bands) * look_seconds : 0.0;
  const double far = std::min(1.0, A.d * A.d / (far_columns * far_columns));
  return (A.products + A.c * (2.0 * A.entries + A.n * A.c)) * product_seconds +
         A.entries * far * hit_seconds + A.n * (row_seconds + looks) +
         static_cast<double>(cuts.parts) * width * width * place_seconds;
}
inline double gram(const GramSize& A) {
  return few_products(A) ? gram_by_entries(A) : dense_gram(A.n, A.d + A.c);
}

constexpr double sketch_adds(double columns) {
  return columns <= near_columns ? near_adds : far_adds;
}

}  // namespace polyak::nominal
