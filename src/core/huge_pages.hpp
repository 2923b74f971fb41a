#pragma once

// Large arrays on large pages, where the system grants them: rows read at
// random then miss the address cache less often.

#include <cstddef>
#include <vector>

namespace polyak {

/// A wish for the memory [data, data + bytes), best before it is touched.
void ask_for_huge_pages(void* data, std::size_t bytes);

/// `count` zeros.
template <class Value>
std::vector<Value> large_vector(std::size_t count) {
  std::vector<Value> out;
  out.reserve(count);
  ask_for_huge_pages(out.data(), count * sizeof(Value));
  out.resize(count);
  return out;
}

}  // namespace polyak
