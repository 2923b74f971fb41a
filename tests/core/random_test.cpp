#include "core/random.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "philox.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

struct KnownAnswer {
  Block counter;
  Key key;
  Block out;
};

// "philox4x32 10" of Random123's kat_vectors.
constexpr KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  for (const auto& [counter, key, out] : known_answers) {
    const r123::Philox4x32::ctr_type c{{counter[0], counter[1], counter[2], counter[3]}};
    const auto result = r123::Philox4x32{}(c, r123::Philox4x32::key_type{{key[0], key[1]}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result[i], out[i]);
    EXPECT_EQ(philox(counter, key), out);
    EXPECT_EQ(philox_inverse(out, key), counter);
  }
}

// Worked out apart from this library; whatever draws them (another device,
// another release) must get the same.
TEST(Random, GivesTheseBitsForEver) {
  EXPECT_EQ(Random(0, 0).bits(0, 0), 0xc7a4af4976d1184full);
  EXPECT_EQ(Random(0, 0).bits(0, 1), 0x82d7c15e506d16c0ull);
  EXPECT_EQ(Random(0, 0).bits(0, 2), 0x97c12bcb721a8898ull);
  EXPECT_EQ(Random(0, 0).bits(1, 0), 0x18fe8d98ceb5af40ull);
  EXPECT_EQ(Random(0, 1).bits(0, 0), 0xf137b7d3eae4741eull);
  EXPECT_EQ(Random(1, 0).bits(0, 0), 0x4bc02834cd330bb8ull);
  EXPECT_EQ(Random(12345, 7).bits(1'000'000'000'000, 99), 0x78382b4c9f95ea1cull);
  EXPECT_EQ(Random(~0ull, stream::lanczos).bits((1ull << 33) + 5, (1ull << 40) + 1),
            0xc03cf79615251921ull);
}

RC_GTEST_PROP(Random, IsPhiloxOfItsCounterAndAKeyMadeFromSeedAndStream,
              (std::uint64_t seed, std::uint64_t stream, std::uint64_t k, std::uint64_t t)) {
  RC_ASSERT(Random(seed, stream).bits(k, t) == expected_bits(seed, stream, k, t));
}

RC_GTEST_PROP(Random, DrawsARangeAsItDrawsOneByOne, (std::uint64_t seed, std::uint64_t k)) {
  const Random random(seed, stream::sampling);
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 100);
  const auto count = *rc::gen::inRange<std::uint64_t>(0, 40);
  std::vector<std::uint64_t> range(count + 1, 7);
  random.bits(k, first, count, range.data());
  for (std::uint64_t i = 0; i < count; ++i) RC_ASSERT(range[i] == random.bits(k, first + i));
  RC_ASSERT(range[count] == 7u);  // not one too many
}

TEST(Random, DrawsRangesFromOddAndEvenStartsAlike) {
  const Random random(5, 3);
  for (std::uint64_t first : {0ull, 1ull, 2ull, 3ull, (1ull << 32) - 1, (1ull << 33) - 3}) {
    for (std::uint64_t count : {0ull, 1ull, 2ull, 3ull, 4ull, 5ull, 8ull, 9ull}) {
      std::vector<std::uint64_t> range(count);
      random.bits(17, first, count, range.data());
      for (std::uint64_t i = 0; i < count; ++i)
        EXPECT_EQ(range[i], random.bits(17, first + i)) << first << " + " << i;
    }
  }
}

// The block that holds the given draws, found by running Philox backwards.
struct Place {
  std::uint64_t k, t;
};
Place place_of(std::uint64_t first_draw, std::uint32_t c2, std::uint64_t seed) {
  for (std::uint32_t c3 = 0;; ++c3) {  // an index below 2^63, as t = 2·index needs
    const Block counter =
        philox_inverse({low(first_draw), high(first_draw), c2, c3}, random_key(seed, 0));
    if (counter[1] >> 31 == 0)
      return {std::uint64_t{counter[3]} << 32 | counter[2],
              2 * (std::uint64_t{counter[1]} << 32 | counter[0])};
  }
}

TEST(Random, NeverDrawsAnEndOfTheUnitIntervalNotEvenFromTheLastBits) {
  const Random random(1964, 0);
  for (const std::uint64_t bits : {0ull, 1ull, ~0ull, ~0ull - 1, 0xfffffffffffff7ffull}) {
    const auto [k, t] = place_of(bits, 1, 1964);
    ASSERT_EQ(random.bits(k, t), bits);
    EXPECT_GT(random.uniform(k, t), 0.0) << bits;
    EXPECT_LT(random.uniform(k, t), 1.0) << bits;
  }
}

TEST(Random, DrawsUniformsThatAreSymmetricAboutOneHalf) {
  const Random random(1964, 0);
  for (const std::uint64_t bits : {0ull, 1ull << 12, 0x123456789abcdef0ull, 1ull << 63}) {
    const auto [k, t] = place_of(bits, 1, 1964);
    const auto [k2, t2] = place_of(~bits, 1, 1964);
    EXPECT_EQ(random.uniform(k, t) + random.uniform(k2, t2), 1.0) << bits;
  }
}

TEST(Random, TellsUniformsFromBitsAlone) {
  const Random random(3, 4);
  for (std::uint64_t t = 0; t < 100; ++t) {
    const double cell = std::ldexp(static_cast<double>(random.bits(9, t) >> 12), -52);
    EXPECT_EQ(random.uniform(9, t), cell + 0x1p-53);
  }
}

TEST(Random, MakesNormalsByBoxAndMullerFromPairs) {
  const Random random(3, 4);
  std::vector<double> x(10);
  random.normals(9, 10, x.data());
  for (std::size_t i = 0; i < 10; i += 2) {
    const double u = random.uniform(9, i), v = random.uniform(9, i + 1);
    const double radius = std::sqrt(-2.0 * std::log(u));
    // cos and sin of an angle near 2π: its rounding (2π·eps) and their own.
    EXPECT_NEAR(x[i], radius * std::cos(2.0 * std::numbers::pi * v), 4e-15);
    EXPECT_NEAR(x[i + 1], radius * std::sin(2.0 * std::numbers::pi * v), 4e-15);
  }
}

TEST(Random, MakesTheSameNormalsWhateverTheirNumber) {
  const Random random(11, 0);
  std::vector<double> all(20);
  random.normals(2, 20, all.data());
  for (std::size_t count = 0; count < 20; ++count) {
    std::vector<double> some(count + 1, -99.0);
    random.normals(2, count, some.data());
    EXPECT_EQ(std::memcmp(some.data(), all.data(), count * sizeof(double)), 0);
    EXPECT_EQ(some[count], -99.0);
  }
}

}  // namespace
}  // namespace polyak::test
