#pragma once

// Memory of large arrays. large_vector asks for huge pages: rows read at random then cause
// fewer misses of the address cache (TLB). RowNumbers takes memory only for what is written.

#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace polyak::internal {

/// Bytes of memory that the machine has. An allocation above it may succeed, because the system
/// provides pages when they are written; the process is then killed while it writes them.
inline double physical_memory_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Asks the system for huge pages in [data, data + bytes); most useful before the memory is
/// first written. The system may ignore it.
inline void ask_for_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + page - 1) / page * page,
                       last = (begin + bytes) / page * page;
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

/// Of a mapped file: the system begins to read the pages of [data, data + bytes), and no others,
/// which the first access to one of them would bring in as well.
inline void ask_to_read([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_WILLNEED)
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data), first = begin / page * page;
  (void)::madvise(reinterpret_cast<void*>(first), begin + bytes - first, MADV_WILLNEED);
#endif
}

/// `count` zeros.
template <class Value>
std::vector<Value> large_vector(std::size_t count) {
  std::vector<Value> out;
  out.reserve(count);
  ask_for_huge_pages(out.data(), count * sizeof(Value));
  out.resize(count);
  return out;
}

/// Allocator of zeros by calloc: the system provides a page when it is first written.
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
  /// The value is 0 already.
  void construct(Value*) {}
  template <class Other>
  void construct(Value* at, const Other& value) {
    *at = value;
  }
  bool operator==(const ZeroPages&) const { return true; }
};

/// One number for each row of A, where each rank writes only those of its own rows; the others
/// are 0 and take address space but no memory. The length must not change after construction:
/// entries that are removed and added again would have their old values, not 0.
using RowNumbers = std::vector<double, ZeroPages<double>>;

}  // namespace polyak::internal
