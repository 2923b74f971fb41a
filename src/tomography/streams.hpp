#pragma once

#include <cstdint>

namespace polyak::stream {

// 8 and 9 are also in core/random.hpp, for sketches and subsets of rows: those are no
// part of making data.
constexpr std::uint64_t phantom = 8ull << 60;    // shapes of the walnut
constexpr std::uint64_t detector = 9ull << 60;   // noise of measurements
constexpr std::uint64_t held_out = 11ull << 60;  // rays that judge a fit

}  // namespace polyak::stream
