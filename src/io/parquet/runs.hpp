#pragma once

// The hybrid of run lengths and packed bits, for levels, indices of dictionaries and booleans: a
// run is one value and how often it is repeated, or a multiple of eight packed values.

#include <cstdint>
#include <string_view>

#include "polyak/types.hpp"

namespace polyak::io::parquet {

/// A part of a run.
struct Run {
  Index length = 0;
  bool packed = false;
  std::uint32_t value = 0;  ///< repeated, if not packed
  std::string_view bits;    ///< of the packed values
  std::size_t first = 0;    ///< number of the first value in `bits`
};

class Runs {
 public:
  Runs() = default;
  /// `width` bits in each value, 0 to 32.
  Runs(std::string_view bytes, unsigned width) : bytes_(bytes), width_(width) {}

  /// The next values, at most `most`. The length is 0 if the bytes end or are damaged.
  Run take(Index most);
  unsigned width() const { return width_; }

 private:
  bool open();

  std::string_view bytes_;
  unsigned width_ = 0;
  Run run_;
};

}  // namespace polyak::io::parquet
