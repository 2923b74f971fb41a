#include "sampling/sampler.hpp"

#include <algorithm>
#include <utility>

namespace polyak::internal {

DrawExchange::DrawExchange(Communicator& ranks, std::uint64_t first_point) : ranks_(ranks) {
  for (const auto& [first] : all_gather<1>(ranks, {first_point})) end_.push_back(first);
  end_.erase(end_.begin());  // the points of a rank end where those of the next rank begin
  end_.push_back(1ull << 62);
  for (std::uint64_t cell = 0; cell < 1u << guide_bits; ++cell) {
    const std::uint64_t first = cell << (62 - guide_bits);
    guide_.push_back(static_cast<std::uint32_t>(std::upper_bound(end_.begin(), end_.end(), first) -
                                                end_.begin()));
  }
}

void DrawExchange::draw_by_rank(const Random& random, std::uint64_t k, Index first, Index last,
                                std::vector<std::uint64_t>* lists) const {
  constexpr Index block = 1024;
  std::uint64_t drawn[block];
  for (Index rank = 0; rank < ranks(); ++rank) lists[rank].clear();
  for (Index t = first; t < last; t += block) {
    const std::size_t here = to_size(std::min(block, last - t));
    random.bits(k, static_cast<std::uint64_t>(t), here, drawn);
    for (std::size_t i = 0; i < here; ++i) {
      std::size_t rank = guide_[drawn[i] >> (64 - guide_bits)];
      while (drawn[i] >> 2 >= end_[rank]) ++rank;
      lists[rank].push_back(drawn[i]);
    }
  }
}

Sampler::Sampler(IntegerStarts starts, Index first)
    : first_point_(starts.first), table_(std::move(starts.of_row), first) {}

Sampler::Sampler(std::span<const double> weights) : Sampler(integer_starts(weights), 0) {}

Sampler::Sampler(std::span<const double> weights, Index first, Communicator& ranks)
    : Sampler(integer_starts(weights, ranks), first) {
  if (ranks.size() > 1) exchange_.emplace(ranks, first_point_);
}

void Sampler::draw_sequence(const Random& random, Index first, std::span<Index> rows) const {
  constexpr std::size_t block = 256;
  std::uint64_t bits[block];
  for (std::size_t i = 0; i < rows.size(); i += block) {
    const std::size_t count = std::min(block, rows.size() - i);
    random.first_bits(static_cast<std::uint64_t>(first) + i, count, bits);
    table_.find(bits, count, rows.data() + i);
  }
}

}  // namespace polyak::internal
