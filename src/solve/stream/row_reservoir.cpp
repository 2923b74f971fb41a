#include "solve/stream/row_reservoir.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace polyak {

RowReservoir::RowReservoir(std::uint64_t seed, Index width)
    : random_(seed, stream::reservoir),
      width_(width),
      most_(std::numeric_limits<std::uint64_t>::max()) {}

void RowReservoir::offer(Index first, ConstView rows, std::span<const double> weights) {
  std::vector<std::uint64_t> bits(to_size(rows.rows));
  random_.first_bits(static_cast<std::uint64_t>(first), bits.size(), bits.data());
  for (Index t = 0; t < rows.rows; ++t) {
    if (bits[to_size(t)] > most_.load(std::memory_order_relaxed)) continue;
    const double* const row = rows.row(t);
    keep({bits[to_size(t)], first + t, weights.empty() ? 1.0 : weights[to_size(t)],
          std::vector<double>(row, row + width_)});
  }
}

void RowReservoir::keep(Row row) {
  const std::lock_guard lock(mutex_);
  if (rows_.size() == most_rows) {
    if (!(row < rows_.front())) return;
    std::pop_heap(rows_.begin(), rows_.end());
    rows_.pop_back();
  }
  rows_.push_back(std::move(row));
  std::push_heap(rows_.begin(), rows_.end());
  if (rows_.size() == most_rows) most_.store(rows_.front().bits, std::memory_order_relaxed);
}

std::vector<RowReservoir::Row> RowReservoir::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> out = rows_;
  std::sort(out.begin(), out.end(), [](const Row& a, const Row& b) { return a.number < b.number; });
  return out;
}

}  // namespace polyak
