#pragma once

// Numbers as they lie in a big-endian file, at any address.

#include <bit>
#include <cstdint>
#include <cstring>

#include "polyak/types.hpp"

namespace polyak::io {

static_assert(std::endian::native == std::endian::little);

inline std::uint32_t big_endian_32(const char* p) {
  std::uint32_t bits;
  std::memcpy(&bits, p, sizeof(bits));
  return __builtin_bswap32(bits);
}
inline std::uint64_t big_endian_64(const char* p) {
  std::uint64_t bits;
  std::memcpy(&bits, p, sizeof(bits));
  return __builtin_bswap64(bits);
}

inline double big_endian_double(const char* p) { return std::bit_cast<double>(big_endian_64(p)); }

/// A signed integer of 4 or 8 bytes.
inline Index big_endian_index(const char* p, std::size_t width) {
  return width == 4 ? static_cast<std::int32_t>(big_endian_32(p))
                    : static_cast<Index>(big_endian_64(p));
}

}  // namespace polyak::io
