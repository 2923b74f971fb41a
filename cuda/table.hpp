#pragma once

// The sampling table in device memory, made there from the integer starts. Internal.

#include <cstdint>
#include <span>

#include "cuda/buffer.hpp"
#include "cuda/draw.hpp"

namespace polyak::cuda {

class DeviceTable {
 public:
  DeviceTable() = default;
  /// rows + 1 numbers that ascend from 0 to 2^62: sampling/row_table.hpp makes them.
  explicit DeviceTable(std::span<const std::uint64_t> starts);

  bool empty() const { return lines_.size() == 0; }
  RowTable view() const;

 private:
  Buffer<std::uint64_t> starts_;
  Buffer<RowLine> lines_;
  int shift_ = 0;
};

/// Row and weight of draws 0 .. batch−1 of iteration k, in the order of the draws.
void list_draws(const RowTable& table, Key key, std::int64_t k, const double* row_weights,
                Buffer<std::uint64_t>& rows, Buffer<double>& weights);

}  // namespace polyak::cuda
