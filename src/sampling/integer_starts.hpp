#pragma once

// Weights as integers that sum to exactly 2^62, prefix-summed.

#include <cstdint>
#include <span>
#include <vector>

namespace polyak {

/// start[j] .. start[j+1]-1 are the points of row j; start[n] = 2^62. A row of
/// positive weight has at least one point, a row of weight zero none. Error
/// bad_data unless the weights are finite, ≥ 0 and not all zero.
std::vector<std::uint64_t> integer_starts(std::span<const double> weights);

}  // namespace polyak
