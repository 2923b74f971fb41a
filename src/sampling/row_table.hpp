#pragma once

// From a point to the row that holds it, at the cost of one cache line. Points are
// counted from the first one of the rows held here: with one rank there are 2^62.
//
// They are cut into equal cells, about four rows each. A cell's line holds
// the row that its first point belongs to, that row's start and the starts of
// the six rows that follow. How many of them are not above the point says the
// row; its two ends, hence its probability, are in the same line. A point
// beyond the sixth row is looked for in all starts.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

/// weight = own[row]·factor/p_row; without `own`, 1.0 stands for it.
struct Weighing {
  const double* own;
  double factor;
};

class RowTable {
 public:
  /// `start` ascends from 0 to 2^62 at most: where each row begins, and the end.
  /// The first of them is row `first` of the whole.
  explicit RowTable(std::vector<std::uint64_t> start, Index first = 0);

  Index rows() const { return rows_; }
  Index first() const { return first_; }
  std::uint64_t points() const { return start_[to_size(rows_)]; }
  double probability(Index j) const {
    const std::uint64_t* own = start_.data() + (j - first_);
    return static_cast<double>(own[1] - own[0]) * 0x1p-62;
  }
  /// Where each row begins, and the end: rows() + 1 numbers.
  std::span<const std::uint64_t> starts() const { return {start_.data(), to_size(rows_ + 1)}; }
  /// The row of point `bits`/4.
  Index find(std::uint64_t bits) const;
  /// rows[i] = find(bits[i]); both may be the same memory.
  void find(const std::uint64_t* bits, std::size_t count, Index* rows) const;
  /// And the weights of those rows.
  void find(const std::uint64_t* bits, std::size_t count, Index* rows, Weighing by,
            double* weights) const;
  /// Asks for the line of `bits`, soon to be looked at.
  void prefetch(std::uint64_t bits) const { __builtin_prefetch(&lines_[bits >> shift_]); }

  /// Numbers are signed because vectors compare those faster.
  struct alignas(64) Line {
    std::int64_t start[7];
    std::int64_t row;  // + 2^62: above every point
  };
  const Line& line(std::uint64_t bits) const { return lines_[bits >> shift_]; }
  /// find(bits) for a point beyond what the line holds.
  Index search(std::uint64_t bits) const;

 private:
  void fill();

  Index rows_, first_;
  std::vector<std::uint64_t> start_;  // six ends more, so that every line has seven to copy
  int shift_;                         // a point's cell is bits >> shift_
  std::size_t cells_;
  std::unique_ptr<Line[]> lines_;  // and one more, for the row of the end
};

}  // namespace polyak
