#pragma once

// Philox4x32-10, block by block as Random123 defines it, and many blocks at
// once in vector instructions, with the same bits.

#include <Random123/philox.h>

#include <cstdint>

namespace polyak::philox {

using Generator = r123::Philox4x32;  // 10 rounds
using Key = std::uint32_t[2];

inline std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
inline std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }
inline std::uint64_t join(std::uint32_t lo, std::uint32_t hi) {
  return static_cast<std::uint64_t>(hi) << 32 | lo;
}

struct Pair {
  std::uint64_t first, second;
};

// The definition.
inline Pair block(const Key& key, std::uint64_t k, std::uint64_t index) {
  const Generator::ctr_type counter{{low(index), high(index), low(k), high(k)}};
  const auto out = Generator{}(counter, Generator::key_type{{key[0], key[1]}});
  return {join(out[0], out[1]), join(out[2], out[3])};
}

/// Draws 2·index .. 2·index+count-1 of iteration k.
void pairs(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
           std::uint64_t* out);

/// Draw 0 of iterations k .. k+count-1.
void firsts(const Key& key, std::uint64_t k, std::uint64_t count, std::uint64_t* out);

}  // namespace polyak::philox
