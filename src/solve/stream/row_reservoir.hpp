#pragma once

// A sample of the rows of a stream, drawn while they are read: row i has 64 random bits, a function
// of the seed and i, and the rows with the smallest are kept. Every set of this many rows is
// equally likely, and the sample does not depend on the order in which rows arrive.

#include <atomic>
#include <mutex>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "polyak/types.hpp"

namespace polyak {

class RowReservoir {
 public:
  static constexpr std::size_t most_rows = 1024;

  /// `width` numbers are kept of each row.
  RowReservoir(std::uint64_t seed, Index width);

  /// Row first + t of the stream is rows.row(t), with the weight in `weights` (1 if empty). Any
  /// thread.
  void offer(Index first, ConstView rows, std::span<const double> weights);

  struct Row {
    std::uint64_t bits;
    Index number;
    double weight;
    std::vector<double> values;
    bool operator<(const Row& other) const {
      return bits != other.bits ? bits < other.bits : number < other.number;
    }
  };
  /// In the order of the stream.
  std::vector<Row> rows() const;

 private:
  void keep(Row row);

  Random random_;
  Index width_;
  std::atomic<std::uint64_t> most_;  // no row with more is kept
  mutable std::mutex mutex_;
  std::vector<Row> rows_;  // a heap: the largest first
};

}  // namespace polyak
