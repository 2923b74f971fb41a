#pragma once

// A number for each row of A, where each rank fills in those of its own rows: what is
// never written reads as 0 and, in long arrays, takes addresses but no memory.

#include <cstdlib>
#include <new>
#include <vector>

namespace polyak {

/// Zeros as the system gives them: its pages come to be when they are written.
template <class Value>
struct ZeroPages {
  using value_type = Value;
  ZeroPages() = default;
  template <class Other>
  ZeroPages(const ZeroPages<Other>&) {}

  Value* allocate(std::size_t count) {
    void* pages = std::calloc(count > 0 ? count : 1, sizeof(Value));
    if (pages == nullptr) throw std::bad_alloc();
    return static_cast<Value*>(pages);
  }
  void deallocate(Value* pages, std::size_t) { std::free(pages); }
  /// 0 already.
  void construct(Value*) {}
  template <class Other>
  void construct(Value* at, const Other& value) {
    *at = value;
  }
  bool operator==(const ZeroPages&) const { return true; }
};

/// Made once with its length: growing again what was cut would bring old numbers back.
using RowNumbers = std::vector<double, ZeroPages<double>>;

}  // namespace polyak
