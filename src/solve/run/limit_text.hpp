#pragma once

// What a report says of the limit that ended a run.

#include <fmt/format.h>

#include "polyak/types.hpp"

namespace polyak::limit_text {

inline std::string seconds(double most) {
  return fmt::format("time limit of {:g} s reached", most);
}
inline std::string iterations(Index most) {
  return fmt::format("iteration limit of {} reached", most);
}
inline std::string passes(double most) { return fmt::format("limit of {:g} passes reached", most); }

}  // namespace polyak::limit_text
