#pragma once

// Draws of a batch shared out over ranks: each rank makes a part of the draws and sends
// every draw to the rank that stores the drawn row. The set of draws is the one that
// a single process would make; only their order differs.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "polyak/communicator.hpp"

namespace polyak {

class DrawExchange {
 public:
  /// Collective. `ranks` must outlive this.
  DrawExchange(Communicator& ranks, std::uint64_t first_point);

  Index ranks() const { return ranks_.size(); }
  Index rank() const { return ranks_.rank(); }
  /// True if sending draws costs less than making all of them on every rank.
  bool pays(Index batch) const { return ranks() >= 4 && batch >= 1024 * ranks(); }

  /// Makes draws first .. last-1 of iteration k and appends each to the list of the rank
  /// that stores its row, lists[0 .. ranks-1].
  void deal(const Random& random, std::uint64_t k, Index first, Index last,
            std::vector<std::uint64_t>* lists) const;
  /// All-to-all of these lists.
  void swap(std::span<const std::vector<std::uint64_t>> lists,
            std::vector<std::uint64_t>& received) const {
    ranks_.exchange(lists, received);
  }

 private:
  static constexpr int guide_bits = 12;

  Communicator& ranks_;
  std::vector<std::uint64_t> end_;    // of each rank: the first point behind those of its rows
  std::vector<std::uint32_t> guide_;  // by the top bits of a draw: the first rank it may go to
};

}  // namespace polyak
