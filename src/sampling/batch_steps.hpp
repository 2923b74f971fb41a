#pragma once

// The steps of drawing a batch, sorted by row, in parts that any thread may do:
//   draw     a chunk of the draws, and count how many fall into each bucket
//            (the top bits of a draw: equal parts of the points); where ranks
//            share the rows, only those that fall into the own rows' points,
//            counted from the first of them, are there already;
//   deal     the chunk's draws out to their buckets;
//   finish   a bucket: sort its draws, look their rows up, weigh them. The part
//            of the row table that it needs stays in cache.
// The list is sorted, so that who did what leaves no trace.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "core/random.hpp"
#include "sampling/row_table.hpp"

namespace polyak {

struct BatchSteps {
  static constexpr std::size_t most_buckets = 2048;
  static std::size_t buckets(std::size_t draws);

  const RowTable& table;
  const Random* random;  // null: `rows` holds the draws
  std::uint64_t k;
  std::span<Index> rows;     // first the draws, at last their rows
  std::span<Index> scratch;  // as long
  double* weights;           // as long, or null
  Weighing by;
  std::size_t chunks;     // at least 1
  std::uint64_t* places;  // chunks × buckets: counts, then where a draw goes

  /// `run(count, body)` calls body(i) for i = 0 .. count-1, like ThreadTeam.
  template <class Run>
  void all(Run run) const {
    const std::size_t parts = buckets(rows.size());
    if (parts == 1) return small();
    const auto count = static_cast<Index>(chunks);
    run(count, [this](Index chunk) { draw(to_size(chunk)); });
    add_up();
    run(count, [this](Index chunk) { deal(to_size(chunk)); });
    run(static_cast<Index>(parts), [this](Index bucket) { finish(to_size(bucket)); });
  }

 private:
  /// Draws of one's own part have zeros on top; some bits are always left to sort by.
  int free_bits() const { return std::min(std::countl_zero((table.points() << 2) - 1), 40); }
  void small() const;
  void draw(std::size_t chunk) const;
  void add_up() const;
  void deal(std::size_t chunk) const;
  void finish(std::size_t bucket) const;
  void finish(std::size_t first, std::size_t last, int known_bits) const;
};

}  // namespace polyak
