#pragma once

// Row probabilities as integers, and the look-up of the row of a draw.
//
// Each row has as many of the points 0 .. 2^62-1 as its probability requires, one range per
// row. integer_starts makes these ranges from weights. RowTable finds the row of a point at
// the cost of one cache line:
//
// Points are divided into cells of equal size, about four rows each. The line of a cell holds
// the row of its first point, the start of that row and the starts of the six rows after it.
// The number of starts that are not above the point gives the row; its start and end, hence
// its probability, are in the same line. A point after the sixth row is compared with the next
// starts of the list of all starts, and found by bisection beyond those. With several ranks,
// points are counted from the first one of the own rows.
//
// Where all rows have the same weight, row j begins at j·each + min(j, more), and there is no
// table: about 16 bytes per row less. Where all rows that are not zero have it, j is the rank of
// a row among those (UsedRows).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polyak/communicator.hpp"
#include "polyak/types.hpp"
#include "sampling/used_rows.hpp"

namespace polyak {

/// The points of the rows stored here begin at `first`; those of row j of them are
/// first + of_row[j] .. first + of_row[j+1] - 1.
struct IntegerStarts {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> of_row;
};

/// The points of the rows stored here. Those of all ranks together are 0 .. 2^62-1, and the
/// same for any number of ranks. A row of positive weight has at least one point, a row of
/// weight zero none. Error bad_data, on every rank, unless all weights are finite, ≥ 0 and
/// not all zero.
IntegerStarts integer_starts(std::span<const double> weights,
                             Communicator& ranks = Communicator::single());

/// The weight of a drawn row: row_weights[row]·factor/p_row; row_weights null means 1.
struct WeightRule {
  const double* row_weights;
  double factor;
};

class RowTable {
 public:
  static constexpr int searched = 8;  // starts compared before bisection

  /// `start` ascends from 0 to at most 2^62: the start of each row, and the end of the last.
  /// The first of these rows is row `first` of the whole matrix.
  explicit RowTable(std::vector<std::uint64_t> start, Index first = 0);
  /// All points, for `rows` (at least 1) rows of the same weight: the ranges of integer_starts.
  static RowTable even(Index rows);
  /// The same for those of the rows (at least 1) that take part; the others have no points.
  static RowTable even(std::shared_ptr<const UsedRows> used);

  Index rows() const { return rows_; }
  Index first() const { return first_; }
  bool is_even() const { return each_ > 0; }
  std::uint64_t points() const { return is_even() ? 1ull << 62 : start_[to_size(rows_)]; }
  double probability(Index j) const { return static_cast<double>(row_points(j)) * 0x1p-62; }
  /// Where each row begins, and the end: rows() + 1 numbers.
  std::vector<std::uint64_t> starts() const;
  /// The row of point `bits`/4.
  Index find(std::uint64_t bits) const;
  /// rows[i] = find(bits[i]); both may be the same memory.
  void find(const std::uint64_t* bits, std::size_t count, Index* rows) const;
  /// Also the weights of these rows.
  void find(const std::uint64_t* bits, std::size_t count, Index* rows, WeightRule rule,
            double* weights) const;
  /// Starts loading the line of `bits` into the caches.
  void prefetch(std::uint64_t bits) const {
    if (!is_even()) __builtin_prefetch(&lines_[bits >> shift_]);
  }

  /// Signed, because vector instructions compare signed numbers faster.
  struct alignas(64) Line {
    std::int64_t start[7];
    std::int64_t row;  // + 2^62, so that it is above every point
  };
  const Line& line(std::uint64_t bits) const { return lines_[bits >> shift_]; }
  /// find(bits) for a point that is not before row `from`, the last one of its line.
  Index search(std::uint64_t bits, Index from) const;
  /// Starts loading what search(…, from) needs.
  void prefetch_starts(Index from) const {
    __builtin_prefetch(&start_[to_size(from - first_ + 1)]);
  }
  /// The number of points of row j.
  std::int64_t row_points(Index j) const {
    if (is_even()) return even_points(j);
    const std::uint64_t* own = start_.data() + (j - first_);
    return static_cast<std::int64_t>(own[1] - own[0]);
  }

 private:
  RowTable(Index rows, Index count, std::shared_ptr<const UsedRows> used)
      : rows_(rows),
        first_(0),
        count_(to_size(count)),
        each_((1ull << 62) / count_),
        more_((1ull << 62) % count_),
        used_(std::move(used)),
        shift_(0),
        cells_(0) {}

  void fill();
  std::uint64_t even_start(std::uint64_t rank) const {
    return rank * each_ + std::min(rank, more_);
  }
  std::int64_t even_points(Index j) const {
    if (used_ && !used_->has(j)) return 0;
    const Index rank = used_ ? used_->rank(j) : j;
    return static_cast<std::int64_t>(each_ + (to_size(rank) < more_));
  }
  Index find_even(std::uint64_t point) const;

  Index rows_, first_;
  // Rows of the same weight: how many there are, points of each, and how many have one more. Before
  // the members that are computed from points().
  std::uint64_t count_ = 0, each_ = 0, more_ = 0;
  std::shared_ptr<const UsedRows> used_;  // null: all rows have it
  std::vector<std::uint64_t> start_;      // followed by `searched` ends: lines copy seven starts
  int shift_;                             // the cell of a draw is bits >> shift_
  std::size_t cells_;
  std::unique_ptr<Line[]> lines_;  // cells_ + 1; the last has only the last row
};

}  // namespace polyak
