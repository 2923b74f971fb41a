#include "sampling/batch_steps.hpp"

#include <algorithm>
#include <bit>

namespace polyak::internal {
namespace {

constexpr std::size_t bucket_size = 1024;  // draws, about: they and their lines fit into cache
constexpr std::size_t block = 1024;        // draws computed at a time

// A draw is stored in the memory of its row.
std::uint64_t* as_bits(std::span<Index> values) {
  return reinterpret_cast<std::uint64_t*>(values.data());
}

// Sorts values that are nearly sorted: one pass of bubble sort without a branch, which leaves
// little to do, then insertion sort.
void finish_sort(std::uint64_t* values, std::size_t count) {
  if (count == 0) return;
  std::uint64_t carried = values[0];
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t value = values[i];
    const std::uint64_t smaller = value < carried ? value : carried;
    carried ^= value ^ smaller;  // the larger one; a second conditional would become a branch
    values[i - 1] = smaller;
  }
  values[count - 1] = carried;
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t value = values[i];
    if (values[i - 1] <= value) [[likely]]
      continue;
    std::size_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

// Counting sort into about two cells per draw, by the bits after the known ones, then
// finish_sort for draws in the same cell; those are few, because draws are uniform.
void sort_draws(const std::uint64_t* from, std::size_t count, int known_bits, std::uint64_t* to) {
  if (count < 2) {
    std::copy_n(from, count, to);
    return;
  }
  constexpr int max_digits = 11;
  std::uint32_t place[1 << max_digits];
  const int digits = std::clamp(static_cast<int>(std::bit_width(count)), 1, max_digits);
  const auto cell = [=](std::uint64_t bits) { return bits << known_bits >> (64 - digits); };
  std::fill_n(place, std::size_t{1} << digits, 0u);
  for (std::size_t i = 0; i < count; ++i) ++place[cell(from[i])];
  std::uint32_t sum = 0;
  for (std::size_t c = 0; c < std::size_t{1} << digits; ++c) {
    const std::uint32_t here = place[c];
    place[c] = sum;
    sum += here;
  }
  for (std::size_t i = 0; i < count; ++i) to[place[cell(from[i])]++] = from[i];
  finish_sort(to, count);
}

}  // namespace

std::size_t BatchSteps::buckets(std::size_t draws) {
  return draws < 2 * bucket_size ? 1 : std::min(std::bit_ceil(draws / bucket_size), max_buckets);
}

void BatchSteps::one_bucket() const {
  if (random)
    random->bits(k, 0, rows.size(), as_bits(scratch));
  else
    std::copy(rows.begin(), rows.end(), scratch.begin());
  finish(0, rows.size(), zero_bits());
}

void BatchSteps::draw(std::size_t chunk) const {
  const std::size_t parts = buckets(rows.size()), last = (chunk + 1) * rows.size() / chunks;
  const int shift = 64 - zero_bits() - std::countr_zero(parts);
  std::uint64_t
      counts[max_buckets];  // local, so that threads do not share cache lines of `positions`
  std::fill_n(counts, parts, 0u);
  std::uint64_t* bits = as_bits(rows);
  for (std::size_t t = chunk * rows.size() / chunks; t < last; t += block) {
    const std::size_t end = std::min(t + block, last);
    if (random) random->bits(k, t, end - t, bits + t);
    for (std::size_t i = t; i < end; ++i) ++counts[bits[i] >> shift];
  }
  std::copy_n(counts, parts, positions + chunk * parts);
}

// Counts become positions: the number of draws in earlier buckets and chunks.
void BatchSteps::add_counts() const {
  const std::size_t parts = buckets(rows.size());
  std::uint64_t sum = 0;
  for (std::size_t bucket = 0; bucket < parts; ++bucket) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint64_t here = positions[chunk * parts + bucket];
      positions[chunk * parts + bucket] = sum;
      sum += here;
    }
  }
}

void BatchSteps::scatter(std::size_t chunk) const {
  const std::size_t parts = buckets(rows.size()), last = (chunk + 1) * rows.size() / chunks;
  const int shift = 64 - zero_bits() - std::countr_zero(parts);
  std::uint64_t place[max_buckets];
  std::copy_n(positions + chunk * parts, parts, place);
  const std::uint64_t* from = as_bits(rows);
  std::uint64_t* to = as_bits(scratch);
  for (std::size_t t = chunk * rows.size() / chunks; t < last; ++t)
    to[place[from[t] >> shift]++] = from[t];
  std::copy_n(place, parts, positions + chunk * parts);
}

// After scatter, the positions of the last chunk are the ends of the buckets.
void BatchSteps::finish(std::size_t bucket) const {
  const std::size_t parts = buckets(rows.size());
  const std::uint64_t* ends = positions + (chunks - 1) * parts;
  finish(bucket == 0 ? 0 : ends[bucket - 1], ends[bucket], zero_bits() + std::countr_zero(parts));
}

void BatchSteps::finish(std::size_t first, std::size_t last, int known_bits) const {
  std::uint64_t* bits = as_bits(rows) + first;
  sort_draws(as_bits(scratch) + first, last - first, known_bits, bits);
  table.find(bits, last - first, rows.data() + first, rule, weights + first);
}

}  // namespace polyak::internal
