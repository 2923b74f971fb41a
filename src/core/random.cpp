#include "core/random.hpp"

#include <cmath>
#include <numbers>

#include "core/philox.hpp"

namespace polyak {
namespace {

// 52 bits and a half: the midpoints of 2^52 equal cells, so never 0 or 1 (the
// half of one bit more would round, and the last cell would give 1).
double unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

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
  philox::pairs(key_, k, first / 2, count, out);
}

void Random::first_bits(std::uint64_t first, std::uint64_t count, std::uint64_t* out) const {
  philox::firsts(key_, first, count, out);
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

}  // namespace polyak
