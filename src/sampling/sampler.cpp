#include "sampling/sampler.hpp"

#include <algorithm>

#include "sampling/batch_steps.hpp"
#include "sampling/integer_starts.hpp"

namespace polyak {

Sampler::Sampler(std::span<const double> weights) : table_(integer_starts(weights)) {}

void Sampler::draw_batch(const Random& random, Index k, std::span<Index> rows,
                         std::span<Index> scratch) const {
  std::uint64_t places[BatchSteps::most_buckets];
  const BatchSteps steps{table_, random, static_cast<std::uint64_t>(k), rows, scratch, nullptr,
                         {},     1,      places};
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
