#pragma once

// Numbers to feed the kernels, from the fixed generator of the library.

#include <vector>

#include "core/random.hpp"
#include "polyak/types.hpp"

namespace polyak::test {
using namespace polyak::internal;

/// The sizes around the eight lanes of a sum, and long ones.
constexpr Index sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 31, 64, 100, 1000, 4097};

template <class Value>
std::vector<Value> normals(Index count, std::uint64_t seed) {
  std::vector<double> x(to_size(count));
  Random(seed, 0).normals(0, x.size(), x.data());
  std::vector<Value> out;
  for (double v : x) out.push_back(static_cast<Value>(v));
  return out;
}

/// `count` different columns in ascending order below 3·count.
template <class Column>
std::vector<Column> columns(Index count, std::uint64_t seed) {
  const Random random(seed, 1);
  std::vector<Column> out;
  for (Index i = 0; i < count; ++i)
    out.push_back(static_cast<Column>(3 * i + static_cast<Index>(random.bits(0, to_size(i)) % 3)));
  return out;
}

}  // namespace polyak::test
