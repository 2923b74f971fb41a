#pragma once

#include <cstdint>

namespace polyak::stream {

// Beside those of core/random.hpp, which end at 7.
constexpr std::uint64_t phantom = 8ull << 60;   // shapes of the walnut
constexpr std::uint64_t detector = 9ull << 60;  // noise of measurements

}  // namespace polyak::stream
