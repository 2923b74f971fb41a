#include "bench/plain_samplers.hpp"

#include <algorithm>
#include <numeric>

namespace polyak::bench {

SearchSampler::SearchSampler(std::span<const double> weights) : sums_(weights.size()) {
  std::partial_sum(weights.begin(), weights.end(), sums_.begin());
}

void SearchSampler::draw(std::mt19937_64& generator, std::span<Index> rows) const {
  std::uniform_real_distribution<double> uniform(0.0, sums_.back());
  for (Index& row : rows) {
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, uniform(generator));
    row = found - sums_.begin();
  }
  std::sort(rows.begin(), rows.end());
}

AliasSampler::AliasSampler(std::span<const double> weights) : cells_(weights.size()) {
  const auto n = static_cast<double>(weights.size());
  const double unit = n / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Index> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    cells_[i] = {weights[i] * unit, static_cast<Index>(i)};
    (cells_[i].own < 1.0 ? small : large).push_back(static_cast<Index>(i));
  }
  while (!small.empty() && !large.empty()) {
    const Index s = small.back(), l = large.back();
    small.pop_back();
    cells_[to_size(s)].other = l;
    cells_[to_size(l)].own -= 1.0 - cells_[to_size(s)].own;
    if (cells_[to_size(l)].own >= 1.0) continue;
    large.pop_back();
    small.push_back(l);
  }
  // What is left over is 1 up to rounding.
  for (const auto& rest : {small, large})
    for (Index i : rest) cells_[to_size(i)] = {1.0, i};
}

void AliasSampler::draw(std::mt19937_64& generator, std::span<Index> rows) const {
  std::uniform_real_distribution<double> uniform(0.0, static_cast<double>(cells_.size()));
  const Index last = std::ssize(cells_) - 1;
  for (Index& row : rows) {
    const double place = uniform(generator);
    const Index i = std::min(last, static_cast<Index>(place));
    const Cell& cell = cells_[to_size(i)];
    row = place - static_cast<double>(i) < cell.own ? i : cell.other;
  }
  std::sort(rows.begin(), rows.end());
}

}  // namespace polyak::bench
