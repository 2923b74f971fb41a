#include "sampling/used_rows.hpp"

#include <algorithm>
#include <bit>

namespace polyak {

void UsedRows::add(std::span<const double> numbers) {
  for (const double v : numbers) {
    const auto t = static_cast<std::uint64_t>(rows_ % block_rows);
    const bool used = v > 0.0;
    open_.word[t / 64] |= std::uint64_t{used} << (t % 64);
    open_count_ += used;
    if (++rows_ % block_rows == 0) end_block(block_rows);
  }
}

void UsedRows::finish() {
  if (rows_ % block_rows != 0) end_block(rows_ % block_rows);
}

void UsedRows::end_block(Index rows) {
  const bool some = open_count_ > 0 && open_count_ < rows;
  place_.push_back(some ? static_cast<std::int32_t>(bits_.size()) : whole);
  for (std::size_t w = 1; w < words; ++w)
    open_.before[w] =
        static_cast<std::uint16_t>(open_.before[w - 1] + std::popcount(open_.word[w - 1]));
  if (some) bits_.push_back(open_);
  before_.push_back(before_.back() + open_count_);
  open_ = {};
  open_count_ = 0;
}

bool UsedRows::has(Index row) const {
  const Index block = row / block_rows;
  const auto t = static_cast<std::uint64_t>(row % block_rows);
  if (const Bits* bits = bits_of(block)) return (bits->word[t / 64] >> (t % 64) & 1) != 0;
  return !is_empty(block);
}

Index UsedRows::rank(Index row) const {
  const Index block = row / block_rows;
  const auto t = static_cast<std::uint64_t>(row % block_rows);
  const Bits* bits = bits_of(block);
  if (!bits) return before(block) + (is_empty(block) ? 0 : static_cast<Index>(t));
  const std::uint64_t lower = (std::uint64_t{1} << (t % 64)) - 1;
  return before(block) + bits->before[t / 64] + std::popcount(bits->word[t / 64] & lower);
}

Index UsedRows::row(Index rank) const {
  const auto after = std::upper_bound(before_.begin(), before_.end(), rank);
  const Index block = after - before_.begin() - 1, first = block * block_rows;
  Index left = rank - before(block);
  const Bits* bits = bits_of(block);
  if (!bits) return first + left;
  const auto beyond = std::upper_bound(bits->before.begin(), bits->before.end(), left);
  const Index word = beyond - bits->before.begin() - 1;
  left -= bits->before[to_size(word)];
  std::uint64_t here = bits->word[to_size(word)];
  for (; left > 0; --left) here &= here - 1;
  return first + 64 * word + std::countr_zero(here);
}

}  // namespace polyak
