#pragma once

#include <chrono>

namespace polyak {

/// Seconds since some moment, steadily.
inline double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/// Calls `body` and adds to `seconds` what it took.
template <class Body>
void timed(double& seconds, Body body) {
  const double start = now_s();
  body();
  seconds += now_s() - start;
}

}  // namespace polyak
