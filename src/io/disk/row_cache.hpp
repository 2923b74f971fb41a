#pragma once

// Single rows of a file. Rows that will be used soon are read ahead, many at a time, and rows that
// were used lately are kept.
//
// The memory consists of slots of one row (of several where rows are short), in sets of eight. A
// row belongs to the set of its hash; in it the slots are replaced in turn, except those in use
// since their last turn. So there is no list of rows to maintain, only one tag for each slot.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "io/disk/row_layout.hpp"

namespace polyak::internal::io {

class RowCache {
 public:
  /// At most `bytes` of memory for slots, unless these are eight, and a quarter of it for reads in
  /// progress.
  RowCache(const DiskFile& file, const RowLayout& layout, ReadQueue& queue, double bytes);
  /// Waits for reads in progress.
  ~RowCache();
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;

  /// Starts to read those of these rows that are not here, as far as memory for reads in progress
  /// allows. Ascending rows are read with fewer and larger reads.
  void expect(std::span<const Index> rows);

  /// How many rows may be expected at a time such that all are still here when they are used.
  Index rows_ahead() const;

  /// Copies these rows one after the other, as soon as they are here. Error io for a row that
  /// cannot be read.
  void copy(std::span<const Index> rows, char* out);

  /// The memory that the slots take when all are in use.
  double bytes() const;

 private:
  enum class State : std::uint8_t { empty, reading, awaited, ready };
  struct Slot {
    Index unit = -1;
    State state = State::empty;
    bool used = false;  // since its last turn
  };
  class UnitRead;

  struct ZeroFree {
    void operator()(char* p) const { std::free(p); }
  };

  static constexpr Index ways = 8;

  Index unit_of(Index row) const { return row / unit_rows_; }
  Index set_of(Index unit) const;
  Slot* find(Index unit);
  Slot* take_slot(Index unit);
  char* memory(const Slot& slot);
  std::vector<Read*> expect_locked(std::span<const Index> rows, bool at_least_one);
  bool has_room(Index unit) const;
  void add_all(std::span<const Index> rows, bool at_least_one, std::vector<Read*>& started);
  void add(UnitRead*& current, Index unit, std::vector<Read*>& started);
  void cancel(UnitRead& read);
  void wait_for(std::unique_lock<std::mutex>& lock, std::span<const Index> rows);
  UnitRead* unused_read();
  void ended(UnitRead& read);

  const DiskFile& file_;
  const RowLayout layout_;
  ReadQueue& queue_;
  const Index unit_rows_, unit_bytes_, units_, sets_;
  const double max_in_progress_;  // bytes

  std::mutex mutex_;
  std::condition_variable some_ended_;
  std::vector<Slot> slots_;
  std::vector<std::uint8_t> turn_;          // of each set
  std::unique_ptr<char, ZeroFree> memory_;  // pages are taken when they are first written
  std::vector<std::unique_ptr<UnitRead>> reads_;
  std::vector<UnitRead*> unused_;
  std::vector<UnitRead*> failed_;
  double in_progress_bytes_ = 0.0;
  Index in_progress_ = 0;
  Index waiting_for_room_ = 0;  // threads
};

}  // namespace polyak::internal::io
