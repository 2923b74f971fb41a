#include "sampling/draw_exchange.hpp"

#include <algorithm>

namespace polyak {

DrawExchange::DrawExchange(Communicator& ranks, std::uint64_t first_point) : ranks_(ranks) {
  for (const auto& [first] : all_gather<1>(ranks, {first_point})) end_.push_back(first);
  end_.erase(end_.begin());  // one rank's points end where the next one's begin
  end_.push_back(1ull << 62);
  for (std::uint64_t cell = 0; cell < 1u << guide_bits; ++cell) {
    const std::uint64_t first = cell << (62 - guide_bits);
    guide_.push_back(static_cast<std::uint32_t>(std::upper_bound(end_.begin(), end_.end(), first) -
                                                end_.begin()));
  }
}

void DrawExchange::deal(const Random& random, std::uint64_t k, Index first, Index last,
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

}  // namespace polyak
