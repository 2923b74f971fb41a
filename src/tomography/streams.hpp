#pragma once

#include <cstdint>

namespace polyak::internal::stream {

// Random streams of this room, in one place so that no two are equal. core/random.hpp uses 8 and 9
// too, for sketches and subsets of rows, which are never used when data are generated.
constexpr std::uint64_t phantom = 8ull << 60;    // shapes and the walnut
constexpr std::uint64_t detector = 9ull << 60;   // noise of the measurements
constexpr std::uint64_t held_out = 11ull << 60;  // choice of the held-out rays

}  // namespace polyak::internal::stream
