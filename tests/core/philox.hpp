#pragma once

// Philox4x32-10 written a second time, from the paper (Salmon, Moraes, Dror,
// Shaw, SC 2011), and its inverse: the counter that gives a wanted block.

#include <array>
#include <cstdint>

namespace polyak::test {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

constexpr std::uint32_t multiplier[2] = {0xD2511F53, 0xCD9E8D57};
constexpr std::uint32_t weyl[2] = {0x9E3779B9, 0xBB67AE85};
constexpr int rounds = 10;

inline std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
inline std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

inline Key round_key(Key key, int round) {
  const auto r = static_cast<std::uint32_t>(round);
  return {key[0] + r * weyl[0], key[1] + r * weyl[1]};
}

inline Block philox(Block c, Key key) {
  for (int round = 0; round < rounds; ++round) {
    const Key k = round_key(key, round);
    const std::uint64_t p0 = std::uint64_t{multiplier[0]} * c[0];
    const std::uint64_t p1 = std::uint64_t{multiplier[1]} * c[2];
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
  }
  return c;
}

/// m·inverse = 1 modulo 2^32, by Newton: each turn doubles the right bits.
inline std::uint32_t inverse(std::uint32_t m) {
  std::uint32_t x = m;
  for (int i = 0; i < 5; ++i) x *= 2 - m * x;
  return x;
}

inline Block philox_inverse(Block c, Key key) {
  for (int round = rounds - 1; round >= 0; --round) {
    const Key k = round_key(key, round);
    const std::uint32_t c0 = c[3] * inverse(multiplier[0]), c2 = c[1] * inverse(multiplier[1]);
    const std::uint32_t h0 = high(std::uint64_t{multiplier[0]} * c0);
    const std::uint32_t h1 = high(std::uint64_t{multiplier[1]} * c2);
    c = {c0, c[0] ^ h1 ^ k[0], c2, c[2] ^ h0 ^ k[1]};
  }
  return c;
}

/// The key of Random(seed, stream), as core/random.hpp says: made by Philox
/// itself. "poly", "ak".
inline Key random_key(std::uint64_t seed, std::uint64_t stream) {
  const Block out =
      philox({low(stream), high(stream), 0x706f6c79, 0x616b}, {low(seed), high(seed)});
  return {out[0], out[1]};
}

/// Draw t of iteration k: half of the block with counter (t/2, k).
inline std::uint64_t expected_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t k,
                                   std::uint64_t t) {
  const Block out = philox({low(t / 2), high(t / 2), low(k), high(k)}, random_key(seed, stream));
  const std::size_t i = t % 2 == 0 ? 0 : 2;
  return std::uint64_t{out[i + 1]} << 32 | out[i];
}

}  // namespace polyak::test
