#pragma once

// The pages of large files that are mapped for reading (b, weights). They are counted as memory of
// the process from their first use on, and can be dropped at any time: the system reads them again
// when they are used. The functions have no effect on other memory.

#include <algorithm>
#include <cstddef>
#include <span>

#include "polyak/types.hpp"

namespace polyak {

/// Files up to this size are left to the system. Of a larger one about so many bytes are in memory
/// at a time.
constexpr std::size_t kept_file_bytes = std::size_t{1} << 26;

/// The file is mapped at `data`, for reading only; forget it before it is unmapped.
void add_file_pages(const void* data, std::size_t bytes);
void forget_file_pages(const void* data);

/// Whether `data` lies in a large file.
bool in_file_pages(const void* data);

/// [data, data + bytes) was used and is not needed soon: drops the pages from that of its
/// first byte up to that of its end, which may still be in use.
void drop_file_pages(const void* data, std::size_t bytes);

/// `count` single places of the file in which `data` lies are used now: all of its pages are
/// dropped once there were many.
void count_file_places(const void* data, Index count);

/// Number i of them is used, and so are the others, in about their order.
inline void use_in_turn(const double* numbers, Index i) {
  constexpr Index of_a_place = 8192;  // 64 KB, what a place brings into memory
  if (i % of_a_place == 0) count_file_places(numbers, 1);
}

/// For rows of numbers that are read in their order: drops what lies behind, every few megabytes
/// and at its end.
class PagesBehind {
 public:
  /// `row_bytes` from one row to the next; row `first` is read first. No effect on memory that is
  /// not of a large file.
  PagesBehind(const void* data, std::size_t row_bytes, Index first)
      : data_(in_file_pages(data) ? static_cast<const char*>(data) : nullptr),
        row_bytes_(row_bytes),
        first_(first),
        used_(first) {}
  ~PagesBehind() { drop_from(std::size_t{1} << 16); }
  PagesBehind(const PagesBehind&) = delete;
  PagesBehind& operator=(const PagesBehind&) = delete;

  /// Rows before `row` were used.
  void used_up_to(Index row) {
    used_ = std::max(used_, row);
    if (data_ != nullptr) drop_from(std::size_t{1} << 22);
  }

 private:
  // If there are so many bytes.
  void drop_from(std::size_t least) {
    const std::size_t bytes = to_size(used_ - first_) * row_bytes_;
    if (data_ == nullptr || bytes < least) return;
    drop_file_pages(data_ + to_size(first_) * row_bytes_, bytes);
    first_ = used_;
  }

  const char* data_;
  std::size_t row_bytes_;
  Index first_, used_;
};

/// use(part, position of its first number) for parts of the numbers, in their order.
template <class Use>
void for_parts(std::span<const double> numbers, Use use) {
  constexpr std::size_t most = std::size_t{1} << 19;
  PagesBehind behind(numbers.data(), sizeof(double), 0);
  for (std::size_t first = 0; first < numbers.size(); first += most) {
    const auto part = numbers.subspan(first, std::min(most, numbers.size() - first));
    use(part, static_cast<Index>(first));
    behind.used_up_to(static_cast<Index>(first + part.size()));
  }
}

}  // namespace polyak
