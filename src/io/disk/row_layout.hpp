#pragma once

// Where the rows are in the file, and memory for aligned reads.

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "io/disk/disk_file.hpp"
#include "io/disk/read_queue.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {

struct RowLayout {
  Index offset = 0;     // of row 0, in bytes
  Index row_bytes = 0;  // at least 1
  Index rows = 0;

  Index at(Index row) const { return offset + row * row_bytes; }
};

/// Memory that direct reads accept; it grows and is kept.
class AlignedBytes {
 public:
  char* reserve(Index bytes) {
    if (bytes <= size_) return data_.get();
    constexpr Index page = 4096;
    size_ = (bytes + page - 1) / page * page;
    data_.reset();
    data_.reset(static_cast<char*>(std::aligned_alloc(page, to_size(size_))));
    if (!data_) size_ = 0, throw std::bad_alloc();
    return data_.get();
  }
  void release_above(Index bytes) {
    if (size_ <= bytes) return;
    data_.reset();
    size_ = 0;
  }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  Index size_ = 0;
};

/// A read of rows [first, last) into memory of its own.
class RowRead : public Read {
 public:
  Index first = 0, last = 0;

  /// The length of the aligned range of the file that holds these rows.
  static Index span_of(const DiskFile& file, const RowLayout& layout, Index from, Index to) {
    const auto [begin, end] = aligned(file, layout, from, to);
    return end - begin;
  }
  /// To be called before the read is started.
  void prepare(const DiskFile& file, const RowLayout& layout, Index from, Index to_row) {
    const auto [begin, end] = aligned(file, layout, from, to_row);
    to = memory_.reserve(end - begin);
    first = from, last = to_row;
    offset = begin;
    bytes = end - begin;
    needed = layout.at(to_row) - begin;
    error = 0;
    file_ended = false;
    rows_ = to + (layout.at(from) - begin);
  }
  /// Row `first`; the others follow.
  const char* rows() const { return rows_; }

  /// Frees the memory if it has more than `kept` bytes.
  void release_memory(Index kept) { memory_.release_above(kept); }

  /// Throws the Error that ended this read: which row, at which byte.
  [[noreturn]] void refuse(const DiskFile& file, const RowLayout& layout) const;

 private:
  static std::pair<Index, Index> aligned(const DiskFile& file, const RowLayout& layout, Index from,
                                         Index to_row) {
    const Index a = file.alignment();
    return {layout.at(from) / a * a, (layout.at(to_row) + a - 1) / a * a};
  }

  AlignedBytes memory_;
  const char* rows_ = nullptr;
};

}  // namespace polyak::internal::io
