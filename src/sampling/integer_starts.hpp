#pragma once

// Weights as integers that sum to exactly 2^62, prefix-summed.

#include <cstdint>
#include <span>
#include <vector>

#include "polyak/communicator.hpp"

namespace polyak {

/// The points of the rows held here begin at `first`; those of row j of them are
/// first + of_row[j] .. first + of_row[j+1] - 1.
struct IntegerStarts {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> of_row;
};

/// Points for each of the rows held here; all ranks' together are 0 .. 2^62-1, and
/// the same for any number of ranks. A row of positive weight has at least one
/// point, a row of weight zero none. Error bad_data, on every rank, unless all
/// weights are finite, ≥ 0 and not all zero.
IntegerStarts integer_starts(std::span<const double> weights,
                             Communicator& ranks = Communicator::single());

}  // namespace polyak
