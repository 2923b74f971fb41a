#include "core/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// Philox4x32-10: block by block as Random123 defines it, and several blocks at once in vector
// instructions, with the same bits. This file is compiled once per vector target.

#ifndef POLYAK_PHILOX_PLAIN
#define POLYAK_PHILOX_PLAIN
namespace polyak::internal::philox {

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

// The definition: draws 2·index and 2·index + 1 of iteration k.
inline Pair block(const Key& key, std::uint64_t k, std::uint64_t index) {
  const Generator::ctr_type counter{{low(index), high(index), low(k), high(k)}};
  const auto out = Generator{}(counter, Generator::key_type{{key[0], key[1]}});
  return {join(out[0], out[1]), join(out[2], out[3])};
}

inline void plain_draws(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
                        std::uint64_t* out) {
  for (; count >= 2; count -= 2, ++index, out += 2) {
    const Pair pair = block(key, k, index);
    out[0] = pair.first;
    out[1] = pair.second;
  }
  if (count > 0) *out = block(key, k, index).first;
}

}  // namespace polyak::internal::philox
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/random.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::philox::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<std::uint64_t, 8>;
using Vector = hn::Vec<Lanes>;
constexpr std::size_t width = hn::MaxLanes(Lanes());
constexpr std::size_t vectors = 4;  // at once, to hide the latency of the multiplications
constexpr std::size_t group = vectors * width;
constexpr std::uint64_t max_plain_draws = 6;  // so many cost less one by one than as a group

// Products of the low halves.
HWY_INLINE Vector times(Vector a, Vector b) {
  const hn::Repartition<std::uint32_t, Lanes> halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
}

// The rounds of Philox, one block per lane. On entry the low halves of a and b hold counter
// words 0 and 2, those of p and q words 1 and 3; the high halves are not used.
struct Blocks {
  Vector a[vectors], b[vectors], p[vectors], q[vectors];

  HWY_INLINE void mix(const Key& key) {
    const Lanes d;
    const Vector m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
    std::uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < 10; ++round) {
      const Vector k0 = hn::Set(d, key0), k1 = hn::Set(d, key1);
      for (std::size_t v = 0; v < vectors; ++v) {
        const Vector product0 = times(a[v], m0), product1 = times(b[v], m1);
        a[v] = hn::Xor3(hn::ShiftRight<32>(product1), p[v], k0);
        b[v] = hn::Xor3(hn::ShiftRight<32>(product0), q[v], k1);
        p[v] = product1;
        q[v] = product0;
      }
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
  }
  HWY_INLINE static Vector joined(Vector lo, Vector hi) {
    const hn::Repartition<std::uint32_t, Lanes> halves;
    return hn::BitCast(
        Lanes(), hn::OddEven(hn::BitCast(halves, hn::ShiftLeft<32>(hi)), hn::BitCast(halves, lo)));
  }
  HWY_INLINE Vector first(std::size_t v) const { return joined(a[v], p[v]); }
  HWY_INLINE Vector second(std::size_t v) const { return joined(b[v], q[v]); }
};

// The block of lane l: l/2 for even l, width/2 + l/2 for odd l. Interleaving within pairs of
// lanes then gives the draws in order.
HWY_INLINE Vector paired_lanes() {
  HWY_ALIGN std::uint64_t lane[width];
  for (std::size_t l = 0; l < width; ++l) lane[l] = l % 2 * (width / 2) + l / 2;
  return hn::Load(Lanes(), lane);
}

HWY_INLINE void draws_group(const Key& key, std::uint64_t k, std::uint64_t index,
                            std::uint64_t* out) {
  const Lanes d;
  const Vector lanes = paired_lanes(), word2 = hn::Set(d, k), word3 = hn::Set(d, k >> 32);
  Blocks blocks;
  for (std::size_t v = 0; v < vectors; ++v) {
    blocks.a[v] = hn::Add(hn::Set(d, index + v * width), lanes);
    blocks.p[v] = hn::ShiftRight<32>(blocks.a[v]);
    blocks.b[v] = word2;
    blocks.q[v] = word3;
  }
  blocks.mix(key);
  for (std::size_t v = 0; v < vectors; ++v) {
    const Vector first = blocks.first(v), second = blocks.second(v);
    hn::StoreU(hn::InterleaveLower(d, first, second), d, out + 2 * v * width);
    hn::StoreU(hn::InterleaveUpper(d, first, second), d, out + (2 * v + 1) * width);
  }
}

HWY_INLINE void first_draws_group(const Key& key, std::uint64_t k, std::uint64_t* out) {
  const Lanes d;
  Blocks blocks;
  for (std::size_t v = 0; v < vectors; ++v) {
    blocks.b[v] = hn::Add(hn::Set(d, k + v * width), hn::Iota(d, 0));
    blocks.q[v] = hn::ShiftRight<32>(blocks.b[v]);
    blocks.a[v] = blocks.p[v] = hn::Zero(d);
  }
  blocks.mix(key);
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(blocks.first(v), d, out + v * width);
}

// Draws 2·index .. 2·index+count-1 of iteration k.
void draws(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
           std::uint64_t* out) {
  for (; count >= 2 * group; count -= 2 * group, index += group, out += 2 * group)
    draws_group(key, k, index, out);
  if (count <= max_plain_draws) return plain_draws(key, k, index, count, out);
  std::uint64_t rest[2 * group];
  draws_group(key, k, index, rest);
  std::copy_n(rest, count, out);
}

// Draw 0 of iterations k .. k+count-1.
void first_draws(const Key& key, std::uint64_t k, std::uint64_t count, std::uint64_t* out) {
  for (; count >= group; count -= group, k += group, out += group) first_draws_group(key, k, out);
  if (count == 0) return;
  std::uint64_t rest[group];
  first_draws_group(key, k, rest);
  std::copy_n(rest, count, out);
}

#else

void draws(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
           std::uint64_t* out) {
  plain_draws(key, k, index, count, out);
}

void first_draws(const Key& key, std::uint64_t k, std::uint64_t count, std::uint64_t* out) {
  for (std::uint64_t i = 0; i < count; ++i) out[i] = block(key, k + i, 0).first;
}

#endif

}  // namespace polyak::internal::philox::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::internal::philox {
namespace {
HWY_EXPORT(draws);
HWY_EXPORT(first_draws);
}  // namespace
}  // namespace polyak::internal::philox

namespace polyak::internal {
namespace {

// The midpoints of 2^52 equal cells of (0, 1), so never 0 or 1. With 2^53 cells the midpoint
// would be rounded, that of the last cell to 1.
double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  using namespace philox;
  const Generator::ctr_type counter{{low(stream), high(stream), 0x706f6c79u, 0x616bu}};
  const auto out = Generator{}(counter, Generator::key_type{{low(seed), high(seed)}});
  key_[0] = out[0];
  key_[1] = out[1];
}

std::uint64_t Random::bits(std::uint64_t k, std::uint64_t t) const {
  const philox::Pair pair = philox::block(key_, k, t / 2);
  return t % 2 == 0 ? pair.first : pair.second;
}

void Random::bits(std::uint64_t k, std::uint64_t first, std::uint64_t count,
                  std::uint64_t* out) const {
  if (first % 2 == 1 && count > 0) {
    *out++ = bits(k, first++);
    --count;
  }
  using namespace philox;
  HWY_DYNAMIC_DISPATCH(draws)(key_, k, first / 2, count, out);
}

void Random::first_bits(std::uint64_t first, std::uint64_t count, std::uint64_t* out) const {
  using namespace philox;
  HWY_DYNAMIC_DISPATCH(first_draws)(key_, first, count, out);
}

double Random::uniform(std::uint64_t k, std::uint64_t t) const { return unit(bits(k, t)); }

void Random::normals(std::uint64_t k, std::uint64_t count, double* out) const {
  for (std::uint64_t i = 0; i < count; i += 2) {
    const philox::Pair pair = philox::block(key_, k, i / 2);
    const double radius = std::sqrt(-2.0 * std::log(unit(pair.first)));
    const double angle = 2.0 * std::numbers::pi * unit(pair.second);
    out[i] = radius * std::cos(angle);
    if (i + 1 < count) out[i + 1] = radius * std::sin(angle);
  }
}

}  // namespace polyak::internal
#endif
