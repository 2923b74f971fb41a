#pragma once

// Draws made by one rank for all: each makes its part of a batch and gives every
// draw to the rank whose rows have its point. The draws are those that each would
// have made by itself, in another order.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "sampling/rank_sums.hpp"

namespace polyak {

class DrawExchange {
 public:
  /// Ranks call this together. What `ranks` points to must outlive this.
  DrawExchange(const RankSums& ranks, std::uint64_t first_point);

  Index ranks() const { return ranks_; }
  Index rank() const { return rank_; }
  /// Whether sending beats making all draws: many ranks, and some words for each.
  bool pays(Index batch) const { return ranks_ >= 4 && batch >= 1024 * ranks_; }

  /// Makes draws first .. last-1 of iteration k and puts each with those of its
  /// rank, lists[0 .. ranks-1].
  void deal(const Random& random, std::uint64_t k, Index first, Index last,
            std::vector<std::uint64_t>* lists) const;
  /// What all ranks have dealt to this one.
  void swap(std::span<const std::vector<std::uint64_t>> lists,
            std::vector<std::uint64_t>& received) const {
    (*exchange_)(lists, received);
  }

 private:
  static constexpr int guide_bits = 12;

  const ExchangeWords* exchange_;
  Index rank_, ranks_;
  std::vector<std::uint64_t> end_;    // the point where those of each rank end
  std::vector<std::uint32_t> guide_;  // by the top bits of a draw: the first rank it may be
};

}  // namespace polyak
