#pragma once

// Packed integers: `width` bits each, the lowest bits of the first byte first.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "polyak/types.hpp"

namespace polyak::io::parquet {

static_assert(std::endian::native == std::endian::little,
              "the file has little-endian numbers, copied as they are in memory");

/// The eight bytes from byte `at` on; zeros follow the end.
inline std::uint64_t eight_bytes(std::string_view bytes, std::size_t at) {
  std::uint64_t out = 0;
  if (at + sizeof out <= bytes.size())
    std::memcpy(&out, bytes.data() + at, sizeof out);
  else if (at < bytes.size())
    std::memcpy(&out, bytes.data() + at, bytes.size() - at);
  return out;
}

/// The integer of `width` bits, 0 to 64, that begins at bit `bit`.
inline std::uint64_t bits_at(std::string_view bytes, std::size_t bit, unsigned width) {
  const unsigned shift = bit % 8;
  std::uint64_t out = eight_bytes(bytes, bit / 8) >> shift;
  if (shift + width > 64) out |= eight_bytes(bytes, bit / 8 + 8) << (64 - shift);
  return width < 64 ? out & ((std::uint64_t{1} << width) - 1) : out;
}

/// An unsigned number of seven bits per byte, as the headers of runs are; false at the end of the
/// bytes or if it exceeds 64 bits. Removes it from `bytes`.
inline bool take_varint(std::string_view& bytes, std::uint64_t& out) {
  out = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const std::uint64_t bits = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    out |= (bits & 0x7f) << shift;
    if (bits < 0x80) return true;
  }
  return false;
}

}  // namespace polyak::io::parquet
