#pragma once

// Which rows take part in sampling, in little memory: those that do are counted for each block of
// 4096 rows (12 bytes), and a block in which only some of them do has a bit for each row, and
// counts (640 bytes). The r-th such row is found by bisection of the counts.

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

class UsedRows {
 public:
  static constexpr Index block_rows = 4096;

  /// The next rows, in their order; a row takes part if its number is above 0.
  void add(std::span<const double> numbers);
  /// After the last row.
  void finish();

  Index rows() const { return rows_; }
  /// Of them, those that take part.
  Index count() const { return before_.back(); }
  bool all() const { return count() == rows(); }

  bool has(Index row) const;
  /// How many rows before `row` take part.
  Index rank(Index row) const;
  /// The row that takes part and has this rank.
  Index row(Index rank) const;

  Index blocks() const { return std::ssize(before_) - 1; }
  /// How many rows before this block take part; of blocks() all that do.
  Index before(Index block) const { return before_[to_size(block)]; }

 private:
  static constexpr std::size_t words = block_rows / 64;
  // Which rows of a block take part, and how many of them lie before each word.
  struct Bits {
    std::array<std::uint64_t, words> word{};
    std::array<std::uint16_t, words> before{};
  };
  static constexpr std::int32_t whole = -1;  // all rows of the block, or none

  void end_block(Index rows);
  const Bits* bits_of(Index block) const {
    const std::int32_t place = place_[to_size(block)];
    return place == whole ? nullptr : &bits_[static_cast<std::size_t>(place)];
  }
  bool is_empty(Index block) const { return before(block) == before(block + 1); }

  Index rows_ = 0, open_count_ = 0;  // open: of the block that is not complete
  Bits open_{};
  std::vector<Index> before_{0};
  std::vector<std::int32_t> place_;  // of the bits of each block
  std::deque<Bits> bits_;            // grows without a copy
};

}  // namespace polyak
