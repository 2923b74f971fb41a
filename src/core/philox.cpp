#include "core/philox.hpp"

#include <algorithm>

#ifndef POLYAK_PHILOX_PLAIN
#define POLYAK_PHILOX_PLAIN
namespace polyak::philox {

inline void plain_pairs(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
                        std::uint64_t* out) {
  for (; count >= 2; count -= 2, ++index, out += 2) {
    const Pair pair = block(key, k, index);
    out[0] = pair.first;
    out[1] = pair.second;
  }
  if (count > 0) *out = block(key, k, index).first;
}

}  // namespace polyak::philox
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/philox.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::philox::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<std::uint64_t, 8>;
using Vector = hn::Vec<Lanes>;
constexpr std::size_t width = hn::MaxLanes(Lanes());
constexpr std::size_t vectors = 4;  // at a time: one alone would wait for its own products
constexpr std::size_t group = vectors * width;
constexpr std::uint64_t few = 6;  // draws that cost less one by one than a group does

HWY_INLINE Vector times(Vector a, Vector b) {  // of the low halves
  const hn::Repartition<std::uint32_t, Lanes> halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
}

// The rounds of Philox, a block per lane. On entry a, b hold counter words 0
// and 2 in their low halves, p, q words 1 and 3; what the high halves hold is
// never used.
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
    return hn::BitCast(Lanes(), hn::OddEven(hn::BitCast(halves, hn::ShiftLeft<32>(hi)),
                                            hn::BitCast(halves, lo)));
  }
  HWY_INLINE Vector first(std::size_t v) const { return joined(a[v], p[v]); }
  HWY_INLINE Vector second(std::size_t v) const { return joined(b[v], q[v]); }
};

// Lane l holds block l/2, from the middle on for odd l: then interleaving
// within pairs of lanes gives the draws in order.
HWY_INLINE Vector paired_lanes() {
  HWY_ALIGN std::uint64_t lane[width];
  for (std::size_t l = 0; l < width; ++l) lane[l] = l % 2 * (width / 2) + l / 2;
  return hn::Load(Lanes(), lane);
}

HWY_INLINE void pairs_group(const Key& key, std::uint64_t k, std::uint64_t index,
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

HWY_INLINE void firsts_group(const Key& key, std::uint64_t k, std::uint64_t* out) {
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

void pairs(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
           std::uint64_t* out) {
  for (; count >= 2 * group; count -= 2 * group, index += group, out += 2 * group)
    pairs_group(key, k, index, out);
  if (count <= few) return plain_pairs(key, k, index, count, out);
  std::uint64_t rest[2 * group];
  pairs_group(key, k, index, rest);
  std::copy_n(rest, count, out);
}

void firsts(const Key& key, std::uint64_t k, std::uint64_t count, std::uint64_t* out) {
  for (; count >= group; count -= group, k += group, out += group) firsts_group(key, k, out);
  if (count == 0) return;
  std::uint64_t rest[group];
  firsts_group(key, k, rest);
  std::copy_n(rest, count, out);
}

#else

void pairs(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
           std::uint64_t* out) {
  plain_pairs(key, k, index, count, out);
}

void firsts(const Key& key, std::uint64_t k, std::uint64_t count, std::uint64_t* out) {
  for (std::uint64_t i = 0; i < count; ++i) out[i] = block(key, k + i, 0).first;
}

#endif

}  // namespace polyak::philox::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::philox {
namespace {
HWY_EXPORT(pairs);
HWY_EXPORT(firsts);
}  // namespace

void pairs(const Key& key, std::uint64_t k, std::uint64_t index, std::uint64_t count,
           std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(pairs)(key, k, index, count, out);
}
void firsts(const Key& key, std::uint64_t k, std::uint64_t count, std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(firsts)(key, k, count, out);
}

}  // namespace polyak::philox
#endif
