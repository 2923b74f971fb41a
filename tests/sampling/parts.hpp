#pragma once

// The parts of [0, 2^62) that a sampler gives its rows, from the outside: by
// bisection of find().

#include <vector>

#include "sampling/sampler.hpp"

namespace polyak::test {
using namespace polyak::internal;

class Parts {
 public:
  explicit Parts(const Sampler& sampler) {
    std::uint64_t point = 0;
    for (Index j = 0; j <= sampler.rows(); ++j) {
      point = first_point_from(sampler, j, point);
      first_.push_back(point);
    }
  }
  /// The first point of row j; of the row after the last: 2^62.
  std::uint64_t first(Index j) const { return first_[to_size(j)]; }
  std::uint64_t size(Index j) const { return first(j + 1) - first(j); }

 private:
  // The first point whose row is j or a later one.
  static std::uint64_t first_point_from(const Sampler& sampler, Index j, std::uint64_t low) {
    std::uint64_t high = 1ull << 62;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (sampler.find(middle << 2) < j) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::vector<std::uint64_t> first_;
};

}  // namespace polyak::test
