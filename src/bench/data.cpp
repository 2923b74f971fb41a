#include "bench/data.hpp"

#include <algorithm>
#include <cmath>

#include "bench/probe.hpp"
#include "core/huge_pages.hpp"

namespace polyak::bench {
namespace {

constexpr double two_to_minus_63 = 0x1p-63;

double between_ends(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits)) * two_to_minus_63;
}

}  // namespace

std::vector<double> random_values(Index count, std::uint64_t seed, ThreadTeam& team) {
  constexpr Index block = 1 << 16;
  std::vector<double> out = large_vector<double>(to_size(count));
  const Random random(seed, stream::entries);
  team.run((count + block - 1) / block, [&](Index k) {
    const Index first = k * block, size = std::min(block, count - first);
    std::vector<std::uint64_t> bits(to_size(size));
    random.bits(static_cast<std::uint64_t>(k), 0, bits.size(), bits.data());
    for (Index i = 0; i < size; ++i) out[to_size(first + i)] = between_ends(bits[to_size(i)]);
  });
  return out;
}

FreshRows::FreshRows(Index rows, Index batch, std::uint64_t seed, Order order)
    : rows_(rows), batch_(batch), order_(order), random_(seed, stream::sampling) {}

void FreshRows::prepare(Index calls) {
  drawn_.resize(to_size(calls * batch_));
  for (Index call = 0; call < calls; ++call, ++k_) {
    const std::span<Index> out(drawn_.data() + call * batch_, to_size(batch_));
    if (order_ == Order::sorted)
      draw_sorted(out);
    else
      draw_any(out);
  }
}

void FreshRows::draw_any(std::span<Index> out) {
  for (std::size_t t = 0; t < out.size(); ++t)
    out[t] = static_cast<Index>(random_.uniform(k_, t) * static_cast<double>(rows_));
}

// The gaps between sorted uniform numbers are exponential ones over their sum:
// no sorting needed.
void FreshRows::draw_sorted(std::span<Index> out) {
  gaps_.resize(out.size() + 1);
  double sum = 0.0;
  for (std::size_t t = 0; t < gaps_.size(); ++t) gaps_[t] = sum -= std::log(random_.uniform(k_, t));
  const double unit = static_cast<double>(rows_) / sum;
  for (std::size_t t = 0; t < out.size(); ++t)
    out[t] = std::min(rows_ - 1, static_cast<Index>(gaps_[t] * unit));
}

void Wash::operator()() { sum_ += read_values(values_.data(), std::ssize(values_), team_); }

Csr<double, std::int32_t> line_matrix(Index rows, Index cols, Index entries, std::uint64_t seed) {
  const Random random(seed, stream::entries);
  Csr<double, std::int32_t> out;
  out.cols = cols;
  out.row_start.resize(to_size(rows) + 1);
  out.columns = large_vector<std::int32_t>(to_size(rows * entries));
  out.values = large_vector<double>(to_size(rows * entries));
  const double step = static_cast<double>(cols) / static_cast<double>(entries);
  std::size_t k = 0;
  for (Index i = 0; i < rows; ++i) {
    const double start = random.uniform(static_cast<std::uint64_t>(i), 0);
    for (Index e = 0; e < entries; ++e, ++k) {
      out.columns[k] = static_cast<std::int32_t>((static_cast<double>(e) + start) * step);
      out.values[k] = 1.0 + 0.5 * start;
    }
    out.row_start[to_size(i) + 1] = static_cast<Index>(k);
  }
  return out;
}

}  // namespace polyak::bench
