// Every target's ranges are the single draws of Random123, bit for bit.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.hpp"
#include "philox.hpp"
#include "polyak/simd.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr std::uint64_t counts[] = {0,  1,  2,  3,  7,  8,   15,  16, 17,
                                    31, 33, 63, 64, 65, 127, 128, 300};
// Of draws and of iterations: with carries from the low half of a counter
// within a range, and at the end of all.
constexpr std::uint64_t firsts[] = {
    0,          1, 2, 5, (1ull << 32) - 21, (1ull << 33) - 38, (1ull << 33) - 41, (1ull << 40) + 3,
    ~0ull - 999};

class RandomTargets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use_simd_target(GetParam())); }
  void TearDown() override { use_simd_target(simd_targets().front()); }
};

TEST_P(RandomTargets, DrawARangeAsRandom123DrawsOneByOne) {
  const Random random(77, 5);
  for (const std::uint64_t k : {0ull, 7ull, (1ull << 32) + 9, ~0ull}) {
    for (const std::uint64_t first : firsts) {
      for (const std::uint64_t count : counts) {
        std::vector<std::uint64_t> range(count + 1, 7);
        random.bits(k, first, count, range.data());
        for (std::uint64_t i = 0; i < count; ++i)
          ASSERT_EQ(range[i], expected_bits(77, 5, k, first + i)) << first << " + " << i;
        ASSERT_EQ(range[count], 7u) << "one too many";
      }
    }
  }
}

TEST_P(RandomTargets, DrawTheFirstOfManyIterationsAsRandom123DrawsOneByOne) {
  const Random random(~0ull, stream::noise);
  for (const std::uint64_t first : firsts) {
    for (const std::uint64_t count : counts) {
      std::vector<std::uint64_t> range(count + 1, 7);
      random.first_bits(first, count, range.data());
      for (std::uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(range[i], expected_bits(~0ull, stream::noise, first + i, 0))
            << first << " + " << i;
      ASSERT_EQ(range[count], 7u) << "one too many";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, RandomTargets, testing::ValuesIn(simd_targets()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace polyak::test
