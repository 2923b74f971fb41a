#pragma once

#include <chrono>

namespace polyak::internal {

/// Seconds of a monotonic clock; only differences have a meaning.
inline double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/// Calls `body` and adds its run time to `seconds`.
template <class Body>
void timed(double& seconds, Body body) {
  const double start = now_s();
  body();
  seconds += now_s() - start;
}

}  // namespace polyak::internal
