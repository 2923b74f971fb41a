#include "sampling/sampler.hpp"

#include <algorithm>
#include <utility>

#include "sampling/batch_steps.hpp"

namespace polyak {

Sampler::Sampler(IntegerStarts starts, Index first)
    : first_point_(starts.first), table_(std::move(starts.of_row), first) {}

Sampler::Sampler(std::span<const double> weights) : Sampler(integer_starts(weights), 0) {}

Sampler::Sampler(std::span<const double> weights, Index first, Communicator& ranks)
    : Sampler(integer_starts(weights, ranks), first) {
  if (ranks.size() > 1) exchange_.emplace(ranks, first_point_);
}

void Sampler::draw_batch(const Random& random, Index k, std::span<Index> rows,
                         std::span<Index> scratch) const {
  std::uint64_t places[BatchSteps::most_buckets];
  const BatchSteps steps{table_, &random, static_cast<std::uint64_t>(k), rows, scratch, nullptr, {},
                         1,      places};
  steps.all([](Index count, auto body) {
    for (Index i = 0; i < count; ++i) body(i);
  });
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

}  // namespace polyak
