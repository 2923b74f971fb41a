#pragma once

// Where a benchmark ran. What the system does not tell is "unknown" or 0.

#include "polyak/bench.hpp"

namespace polyak::bench {

/// All but threads, peers and huge_bytes.
Machine this_machine();
Index last_cache_bytes();
/// Of this process, in huge pages.
Index huge_bytes_now();

}  // namespace polyak::bench
