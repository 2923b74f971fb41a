#pragma once

// What ranks that share the rows tell each other: sums, and whole numbers by them.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

/// The ranks, in the order of their rows, and how they add up numbers
/// (RowMatrix::complete). By itself: one rank that has all rows.
struct RankSums {
  Index rank = 0;
  Index ranks = 1;
  std::function<void(std::span<double>)> complete = {};
  const ExchangeWords* exchange = nullptr;  // null where they form sums and no more
};

template <std::size_t count>
using Words = std::array<std::uint64_t, count>;

/// What each rank says, on every rank: added to zeros, 32 bits at a time, nothing
/// is rounded. Ranks call this together.
template <std::size_t count>
std::vector<Words<count>> heard_from_all(const RankSums& ranks, const Words<count>& own) {
  std::vector<Words<count>> out(to_size(ranks.ranks), own);
  if (ranks.ranks == 1) return out;
  std::vector<double> halves(out.size() * count * 2, 0.0);
  double* mine = halves.data() + to_size(ranks.rank) * count * 2;
  for (std::uint64_t word : own) {
    *mine++ = static_cast<double>(word & 0xffffffffu);
    *mine++ = static_cast<double>(word >> 32);
  }
  ranks.complete(halves);
  const double* next = halves.data();
  for (auto& words : out) {
    for (std::uint64_t& word : words) {
      word = static_cast<std::uint64_t>(next[0]) | static_cast<std::uint64_t>(next[1]) << 32;
      next += 2;
    }
  }
  return out;
}

}  // namespace polyak
