#pragma once

// The steps of drawing a batch, sorted by row, each in parts for several threads:
//   draw     computes a chunk of the draws and counts them by bucket (a bucket is an equal
//            part of the points, given by the top bits of a draw). With several ranks the
//            draws of the own rows, counted from their first point, are computed before;
//   scatter  moves the draws of the chunk to their buckets;
//   finish   sorts the draws of a bucket, finds their rows and their weights. The part of the
//            row table that it needs stays in cache.
// The result is sorted, so it does not depend on which thread did which part.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "core/random.hpp"
#include "sampling/row_table.hpp"

namespace polyak::internal {

struct BatchSteps {
  static constexpr std::size_t max_buckets = 2048;
  static std::size_t buckets(std::size_t draws);

  const RowTable& table;
  const Random* random;  // null if `rows` holds the draws
  std::uint64_t k;
  std::span<Index> rows;     // the draws first, their rows in the end
  std::span<Index> scratch;  // of the same length
  double* weights;           // of the same length
  WeightRule rule;
  std::size_t chunks;        // at least 1
  std::uint64_t* positions;  // chunks × buckets: counts, then the position of the next draw

  /// `run(count, body)` calls body(i) for i = 0 .. count-1, like ThreadTeam.
  template <class Run>
  void all(Run run) const {
    const std::size_t parts = buckets(rows.size());
    if (parts == 1) return one_bucket();
    const auto count = static_cast<Index>(chunks);
    run(count, [this](Index chunk) { draw(to_size(chunk)); });
    add_counts();
    run(count, [this](Index chunk) { scatter(to_size(chunk)); });
    run(static_cast<Index>(parts), [this](Index bucket) { finish(to_size(bucket)); });
  }

 private:
  /// The number of top bits that are zero in all draws of the own rows; at least 24 bits remain
  /// to sort by.
  int zero_bits() const { return std::min(std::countl_zero((table.points() << 2) - 1), 40); }
  void one_bucket() const;
  void draw(std::size_t chunk) const;
  void add_counts() const;
  void scatter(std::size_t chunk) const;
  void finish(std::size_t bucket) const;
  void finish(std::size_t first, std::size_t last, int known_bits) const;
};

}  // namespace polyak::internal
