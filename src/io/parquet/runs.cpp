#include "io/parquet/runs.hpp"

#include <algorithm>

#include "io/parquet/bits.hpp"

namespace polyak::io::parquet {

Run Runs::take(Index most) {
  while (run_.length == 0)
    if (!open()) return {};
  Run out = run_;
  out.length = std::min(most, run_.length);
  run_.length -= out.length;
  run_.first += to_size(out.length);
  return out;
}

// A header: twice the number of repetitions, or twice the number of groups of eight values and 1.
// Some writers leave away the end of the last group, which holds no values.
bool Runs::open() {
  constexpr std::uint64_t longest = std::uint64_t{1} << 32;
  std::uint64_t header = 0;
  if (!take_varint(bytes_, header) || header >= longest) return false;
  run_ = Run{};
  run_.packed = (header & 1) != 0;
  const std::uint64_t count = header >> 1;
  if (run_.packed) {
    const std::size_t size = std::min<std::size_t>(count * width_, bytes_.size());
    const std::uint64_t there = width_ > 0 ? 8 * size / width_ : 8 * count;
    run_.length = static_cast<Index>(std::min(8 * count, there));
    run_.bits = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return run_.length > 0 || count == 0;
  }
  const unsigned size = (width_ + 7) / 8;
  if (bytes_.size() < size) return false;
  run_.length = static_cast<Index>(count);
  run_.value = static_cast<std::uint32_t>(bits_at(bytes_, 0, 8 * size));
  bytes_.remove_prefix(size);
  return true;
}

}  // namespace polyak::io::parquet
