#include "core/large_arrays.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace polyak {
using namespace polyak::internal;

namespace {

TEST(LargeVector, IsZerosOfThatSizeInOneAllocation) {
  for (const std::size_t count : {0u, 1u, 1000u, 1u << 21}) {
    const std::vector<double> v = large_vector<double>(count);
    EXPECT_EQ(v.size(), count);
    EXPECT_EQ(v.capacity(), count);
    EXPECT_TRUE(std::all_of(v.begin(), v.end(), [](double a) { return a == 0.0; }));
  }
}

TEST(HugePages, MayBeAskedForAnywhereAndChangeNoValue) {
  std::vector<int> v(3'000'000, 7);
  ask_for_huge_pages(v.data() + 1, 4 * (v.size() - 1));
  ask_for_huge_pages(nullptr, 0);
  EXPECT_TRUE(std::all_of(v.begin(), v.end(), [](int a) { return a == 7; }));
}

}  // namespace
}  // namespace polyak
