#pragma once

// Rows of a file in their order: blocks of about a megabyte, several of them in progress.
//
// A range that will be read is announced, or found out from a large request. The blocks before
// the last one used are read again; so one range may be read by several threads in small
// pieces, a little out of order.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "io/disk/row_layout.hpp"

namespace polyak::io {

class RowStreams {
 public:
  /// At most `bytes` of memory for blocks; as many ranges as `threads` are read at a time, and more
  /// if there are more threads.
  RowStreams(const DiskFile& file, const RowLayout& layout, ReadQueue& queue, double bytes,
             Index threads);
  /// Waits for reads in progress.
  ~RowStreams();
  RowStreams(const RowStreams&) = delete;
  RowStreams& operator=(const RowStreams&) = delete;

  /// Rows [first, last) will be read in order: begins with the first blocks.
  void expect(Index first, Index last);

  /// Calls body(first row, number of rows, their memory) for the rows [first, last), block by
  /// block. Error io where they cannot be read, and after each sweep if the file was changed.
  template <class Body>
  void read(Index first, Index last, Body body) {
    while (first < last) {
      const Pin pin(*this, first, last);
      const Index count = std::min(last, pin.last()) - first;
      body(first, count, pin.rows(first));
      first += count;
      used(pin, count, first);
    }
  }

  /// Whether row `row` is in a block of an announced range, so that read() is the way to it.
  bool has(Index row);
  /// Rows of a block: smaller requests that are not announced are better read as single rows.
  Index block_rows() const { return block_rows_; }
  double bytes() const;
  /// Rows used until now, divided by those of the file.
  double sweeps() const;

 private:
  struct Block;
  struct Range;

  // A block that is in memory, for as long as this lives.
  class Pin {
   public:
    Pin(RowStreams& owner, Index row, Index last);
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    Index last() const;
    const char* rows(Index row) const;
    const Block* block() const { return block_; }

   private:
    RowStreams& owner_;
    Block* block_;
  };

  Range* find(Index row);
  Range& open(Index first, Index last);
  void make_room();
  void close(Range& range);
  void retire(Range& range, std::size_t before);
  void release(Block* block);
  void refill(Range& range, std::vector<Read*>& started);
  void add_blocks(Range& range, std::vector<Read*>& started);
  bool blocks_will_be_released() const;
  void wait_for_block(const Range& here, std::unique_lock<std::mutex>& lock);
  Block* pin(Index row, Index last);
  void unpin(Block* block);
  void used(const Pin& pin, Index count, Index end);
  void ended(Block& block);

  const DiskFile& file_;
  const RowLayout layout_;
  ReadQueue& queue_;
  Index block_rows_, blocks_per_range_;
  std::size_t max_ranges_, max_blocks_;

  std::mutex mutex_;
  std::condition_variable some_ended_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> unused_;
  std::vector<std::unique_ptr<Range>> ranges_;
  Index uses_ = 0, in_progress_ = 0;
  Index used_rows_ = 0;  // since the file was last tested for changes
  std::atomic<Index> all_used_rows_ = 0;
};

}  // namespace polyak::io
