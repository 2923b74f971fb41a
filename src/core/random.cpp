#include "core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace polyak {
namespace {

using Generator = r123::Philox4x32;  // 10 rounds

std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }
std::uint64_t join(std::uint32_t lo, std::uint32_t hi) {
  return static_cast<std::uint64_t>(hi) << 32 | lo;
}

struct Pair {
  std::uint64_t first, second;
};

Pair block(const std::uint32_t* key, std::uint64_t k, std::uint64_t index) {
  const Generator::ctr_type counter{{low(index), high(index), low(k), high(k)}};
  const auto out = Generator{}(counter, Generator::key_type{{key[0], key[1]}});
  return {join(out[0], out[1]), join(out[2], out[3])};
}

// 52 bits and a half: the midpoints of 2^52 equal cells, so never 0 or 1 (the
// half of one bit more would round, and the last cell would give 1).
double unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  const Generator::ctr_type counter{{low(stream), high(stream), 0x706f6c79u, 0x616bu}};
  const auto out = Generator{}(counter, Generator::key_type{{low(seed), high(seed)}});
  key_[0] = out[0];
  key_[1] = out[1];
}

std::uint64_t Random::bits(std::uint64_t k, std::uint64_t t) const {
  const Pair pair = block(key_, k, t / 2);
  return t % 2 == 0 ? pair.first : pair.second;
}

void Random::bits(std::uint64_t k, std::uint64_t first, std::uint64_t count,
                  std::uint64_t* out) const {
  std::uint64_t i = 0;
  if (first % 2 == 1 && count > 0) out[i++] = bits(k, first);
  for (; i + 2 <= count; i += 2) {
    const Pair pair = block(key_, k, (first + i) / 2);
    out[i] = pair.first;
    out[i + 1] = pair.second;
  }
  if (i < count) out[i] = bits(k, first + i);
}

double Random::uniform(std::uint64_t k, std::uint64_t t) const { return unit(bits(k, t)); }

void Random::normals(std::uint64_t k, std::uint64_t count, double* out) const {
  for (std::uint64_t i = 0; i < count; i += 2) {
    const Pair pair = block(key_, k, i / 2);
    const double radius = std::sqrt(-2.0 * std::log(unit(pair.first)));
    const double angle = 2.0 * std::numbers::pi * unit(pair.second);
    out[i] = radius * std::cos(angle);
    if (i + 1 < count) out[i + 1] = radius * std::sin(angle);
  }
}

}  // namespace polyak
