#include "sampling/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "polyak/error.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t total = 1ull << 62;

// Sums of n terms in order, with the lost low parts carried along (Neumaier):
// good to an ulp, and zero terms change nothing.
double careful_sum(std::span<const double> values) {
  double sum = 0.0, lost = 0.0;
  for (double v : values) {
    const double next = sum + v;
    lost += std::abs(sum) >= v ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  return sum + lost;
}

// The prefix sums. Each row of positive weight gets 1 + floor(weight·factor);
// factor is a hair small, and what is left of 2^62 is handed out evenly.
std::vector<std::uint64_t> integer_starts(std::span<const double> weights) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  const int exponent = std::ilogb(largest);  // weights near the ends of the range stay exact
  std::vector<double> scaled(weights.size());
  std::transform(weights.begin(), weights.end(), scaled.begin(),
                 [&](double w) { return std::ldexp(w, -exponent); });
  const auto positive = static_cast<std::uint64_t>(
      std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0.0; }));
  const double factor =
      static_cast<double>(total - positive) * (1.0 - 0x1p-50) / careful_sum(scaled);
  std::vector<std::uint64_t> integer(weights.size(), 0);
  std::uint64_t given = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] > 0.0) integer[j] = 1 + static_cast<std::uint64_t>(scaled[j] * factor);
    given += integer[j];
  }
  const std::uint64_t each = (total - given) / positive;
  std::uint64_t extra = (total - given) % positive;
  std::vector<std::uint64_t> start(weights.size() + 1, 0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (integer[j] > 0) integer[j] += each + (extra > 0 ? (--extra, 1u) : 0u);
    start[j + 1] = start[j] + integer[j];
  }
  return start;
}

// Ascending, by counting digits from the lowest up; for short batches the
// counts would cost more than comparing.
void sort_rows(std::span<Index> rows, std::span<Index> scratch, Index below) {
  if (rows.size() < 512) {
    std::sort(rows.begin(), rows.end());
    return;
  }
  constexpr int digit = 11;
  constexpr std::size_t values = 1u << digit;
  for (int shift = 0; (below - 1) >> shift > 0; shift += digit) {
    std::size_t place[values + 1] = {};
    const auto value = [&](Index row) { return to_size(row >> shift) & (values - 1); };
    for (Index row : rows) ++place[value(row) + 1];
    for (std::size_t v = 1; v <= values; ++v) place[v] += place[v - 1];
    for (Index row : rows) scratch[place[value(row)]++] = row;
    std::copy(scratch.begin(), scratch.end(), rows.begin());
  }
}

}  // namespace

Sampler::Sampler(std::span<const double> weights) {
  const bool valid = std::all_of(weights.begin(), weights.end(),
                                 [](double w) { return std::isfinite(w) && w >= 0.0; });
  const bool some = std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; });
  if (!valid || !some) {
    throw Error(ErrorCode::bad_data, {.what = "rows cannot be sampled by these probabilities",
                                      .found = valid ? "all zero" : "a negative or non-finite one",
                                      .expected = "numbers of at least 0, not all zero"});
  }
  start_ = integer_starts(weights);
  const int bits = std::clamp(static_cast<int>(std::bit_width(weights.size())), 1, 24);
  shift_ = 62 - bits;
  guide_.resize((std::size_t{1} << bits) + 1);
  Index row = 0;
  for (std::size_t cell = 0; cell + 1 < guide_.size(); ++cell) {
    const std::uint64_t point = static_cast<std::uint64_t>(cell) << shift_;
    while (start_[to_size(row) + 1] <= point) ++row;
    guide_[cell] = row;
  }
  guide_.back() = rows() - 1;
}

Index Sampler::find(std::uint64_t bits) const {
  const std::uint64_t point = bits >> 2;
  const std::size_t cell = static_cast<std::size_t>(point >> shift_);
  Index row = guide_[cell];
  if (start_[to_size(row) + 1] > point) return row;  // most cells hold one row or two
  const auto first = start_.begin() + row + 1;
  const auto last = start_.begin() + guide_[cell + 1] + 1;
  return static_cast<Index>(std::upper_bound(first, last, point) - start_.begin()) - 1;
}

void Sampler::draw_batch(const Random& random, Index k, std::span<Index> rows,
                         std::span<Index> scratch) const {
  constexpr std::size_t block = 256;
  std::uint64_t bits[block];
  for (std::size_t t = 0; t < rows.size(); t += block) {
    const std::size_t count = std::min(block, rows.size() - t);
    random.bits(static_cast<std::uint64_t>(k), t, count, bits);
    std::transform(bits, bits + count, rows.begin() + static_cast<Index>(t),
                   [&](std::uint64_t b) { return find(b); });
  }
  sort_rows(rows, scratch, Sampler::rows());
}

void Sampler::draw_sequence(const Random& random, Index first, std::span<Index> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = find(random.bits(static_cast<std::uint64_t>(first) + i, 0));
}

}  // namespace polyak
