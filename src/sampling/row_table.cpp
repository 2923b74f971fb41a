#include "sampling/row_table.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/large_arrays.hpp"

#ifndef POLYAK_ROW_TABLE_ONCE
#define POLYAK_ROW_TABLE_ONCE
namespace polyak {

constexpr std::int64_t all_points = std::int64_t{1} << 62;
constexpr std::size_t ahead = 64;  // prefetch distance in points

}  // namespace polyak
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sampling/row_table.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

// The number of starts ≤ point; the row of the line is above every point and never counts.
HWY_INLINE std::size_t not_above(const RowTable::Line& line, std::int64_t point) {
  const hn::CappedTag<std::int64_t, 8> d;
  const auto wanted = hn::Set(d, point);
  std::size_t above = 0;
  for (std::size_t l = 0; l < 8; l += hn::MaxLanes(d))
    above += hn::CountTrue(d, hn::Gt(hn::Load(d, line.start + l), wanted));
  return 8 - above;
}

// Points x become weights, in whole vectors; returns the number of entries done.
HWY_INLINE std::size_t weigh_vectors(const Index* rows, std::size_t count, WeightRule rule,
                                     double* x) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToSigned<decltype(d)> indices;
  const auto unit = hn::Set(d, 0x1p-62), factor = hn::Set(d, rule.factor);
  std::size_t i = 0;
  for (; i + hn::MaxLanes(d) <= count; i += hn::MaxLanes(d)) {
    const auto p = hn::Mul(hn::LoadU(d, x + i), unit);
    auto numerator = factor;
    if (rule.row_weights)
      numerator =
          hn::Mul(hn::GatherIndex(d, rule.row_weights, hn::LoadU(indices, rows + i)), factor);
    hn::StoreU(hn::Div(numerator, p), d, x + i);
  }
  return i;
}

#else

std::size_t not_above(const RowTable::Line& line, std::int64_t point) {
  std::size_t count = 0;
  for (const std::int64_t start : line.start) count += start <= point;
  return count;
}

std::size_t weigh_vectors(const Index*, std::size_t, WeightRule, double*) { return 0; }

#endif

// A draw beyond the rows of its line, its position in the list.
struct Beyond {
  std::uint64_t bits;
  std::size_t i;
};

// take(i, points of the row) for each of the draws, whose rows are written to `rows`. Draws
// beyond their line are noted without a branch, which would often be predicted wrongly, and
// found after the others of a block, with their starts prefetched.
template <class Take>
HWY_INLINE void for_each_row(const RowTable& table, const std::uint64_t* bits, std::size_t count,
                             Index* rows, Take take) {
  constexpr std::size_t block = 256, starts_ahead = 8;
  Beyond beyond[block];
  // Into the second-level cache, which allows more misses at a time than the first.
  const auto prefetch = [&](std::size_t i)
                            HWY_ATTR { __builtin_prefetch(&table.line(bits[i]), 0, 2); };
  for (std::size_t i = 1; i < std::min(ahead, count); ++i) prefetch(i);
  for (std::size_t first = 0; first < count; first += block) {
    std::size_t noted = 0;
    for (std::size_t i = first; i < std::min(first + block, count); ++i) {
      if (i + ahead < count) prefetch(i + ahead);
      const RowTable::Line& line = table.line(bits[i]);
      const std::size_t after = not_above(line, static_cast<std::int64_t>(bits[i] >> 2));
      const std::size_t end = std::min<std::size_t>(after, 6);
      beyond[noted] = {bits[i], i};
      noted += after > 6;
      take(i, line.start[end] - line.start[end - 1]);
      rows[i] = line.row - all_points + static_cast<Index>(after) - 1;
    }
    for (std::size_t m = 0; m < noted; ++m) {
      if (m + starts_ahead < noted) table.prefetch_starts(rows[beyond[m + starts_ahead].i]);
      const auto [draw, i] = beyond[m];
      rows[i] = table.search(draw, rows[i]);
      take(i, table.row_points(rows[i]));
    }
  }
}

void find_rows(const RowTable& table, const std::uint64_t* bits, std::size_t count, Index* rows) {
  for_each_row(table, bits, count, rows, [](std::size_t, std::int64_t) HWY_ATTR {});
}

void find_and_weigh(const RowTable& table, const std::uint64_t* bits, std::size_t count,
                    Index* rows, WeightRule rule, double* weights) {
  for_each_row(table, bits, count, rows, [=](std::size_t i, std::int64_t points) HWY_ATTR {
    weights[i] = static_cast<double>(points);
  });
  for (std::size_t i = weigh_vectors(rows, count, rule, weights); i < count; ++i) {
    const double own = rule.row_weights ? rule.row_weights[rows[i]] : 1.0;
    weights[i] = own * rule.factor / (weights[i] * 0x1p-62);
  }
}

}  // namespace polyak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak {
namespace {

HWY_EXPORT(find_rows);
HWY_EXPORT(find_and_weigh);

constexpr int max_cell_bits = 23;  // 2^23 lines are half a gigabyte

std::size_t cells_of(std::uint64_t points, int shift) {
  return points == 0 ? 0 : static_cast<std::size_t>((points - 1) >> (shift - 2)) + 1;
}

// At least two rows per cell.
int cell_shift(std::uint64_t points, Index rows) {
  const auto max_cells = to_size(std::clamp<Index>(rows / 2, 2, Index{1} << max_cell_bits));
  int shift = 2;
  while (cells_of(points, shift) > max_cells) ++shift;
  return shift;
}

}  // namespace

RowTable::RowTable(std::vector<std::uint64_t> start, Index first)
    : rows_(std::ssize(start) - 1),
      first_(first),
      start_(std::move(start)),
      shift_(cell_shift(points(), rows_)),
      cells_(cells_of(points(), shift_)),
      lines_(std::make_unique_for_overwrite<Line[]>(cells_ + 1)) {
  start_.insert(start_.end(), searched, points());
  ask_for_huge_pages(lines_.get(), cells_ * sizeof(Line));
  fill();
}

RowTable RowTable::even(Index rows) { return {rows, rows, nullptr}; }

RowTable RowTable::even(std::shared_ptr<const UsedRows> used) {
  if (used->all()) return even(used->rows());
  const Index rows = used->rows(), count = used->count();
  return {rows, count, std::move(used)};
}

std::vector<std::uint64_t> RowTable::starts() const {
  if (!is_even()) return {start_.begin(), start_.begin() + rows_ + 1};
  std::vector<std::uint64_t> out(to_size(rows_) + 1, 1ull << 62);
  for (Index j = 0; j < rows_; ++j)
    out[to_size(j)] = even_start(to_size(used_ ? used_->rank(j) : j));
  return out;
}

// The rank by proportion, point·n/2^62, is off by n/4 points at most, and a row has 2^62/n.
Index RowTable::find_even(std::uint64_t point) const {
  __extension__ using Wide = unsigned __int128;
  auto rank = static_cast<std::uint64_t>((Wide{point} * count_) >> 62);
  while (even_start(rank) > point) --rank;
  while (even_start(rank + 1) <= point) ++rank;
  const auto j = static_cast<Index>(rank);
  return used_ ? used_->row(j) : j;
}

void RowTable::fill() {
  const std::uint64_t* from = start_.data();  // start of the row of the cell's first point
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const std::uint64_t first = static_cast<std::uint64_t>(cell) << (shift_ - 2);
    int passed = 0;
    do {  // without a branch per row
      passed = 0;
      for (int i = 1; i <= 6; ++i) passed += from[i] <= first;
      from += passed;
    } while (passed == 6);
    for (int i = 0; i < 7; ++i) lines_[cell].start[i] = static_cast<std::int64_t>(from[i]);
    lines_[cell].row = all_points + first_ + (from - start_.data());
  }
  lines_[cells_].row = all_points + first_ + rows_ - 1;
}

Index RowTable::find(std::uint64_t bits) const {
  if (is_even()) return find_even(bits >> 2);
  const auto point = static_cast<std::int64_t>(bits >> 2);
  const Line& here = line(bits);
  Index after = 0;
  for (const std::int64_t start : here.start) after += start <= point;
  const Index row = here.row - all_points + after - 1;
  return after < 7 ? row : search(bits, row);
}

void RowTable::find(const std::uint64_t* bits, std::size_t count, Index* rows) const {
  if (is_even()) {
    for (std::size_t i = 0; i < count; ++i) rows[i] = find_even(bits[i] >> 2);
    return;
  }
  HWY_DYNAMIC_DISPATCH(find_rows)(*this, bits, count, rows);
}

void RowTable::find(const std::uint64_t* bits, std::size_t count, Index* rows, WeightRule rule,
                    double* weights) const {
  if (is_even()) {
    for (std::size_t i = 0; i < count; ++i) {
      rows[i] = find_even(bits[i] >> 2);
      const double own = rule.row_weights ? rule.row_weights[rows[i]] : 1.0;
      weights[i] = own * rule.factor / (static_cast<double>(row_points(rows[i])) * 0x1p-62);
    }
    return;
  }
  HWY_DYNAMIC_DISPATCH(find_and_weigh)(*this, bits, count, rows, rule, weights);
}

Index RowTable::search(std::uint64_t bits, Index from) const {
  const std::uint64_t point = bits >> 2, *own = start_.data() + (from - first_) + 1;
  Index passed = 0;  // without a branch per row
  for (int i = 0; i < searched; ++i) passed += own[i] <= point;
  if (passed < searched) [[likely]]
    return from + passed;
  const auto last = start_.begin() + ((&line(bits))[1].row - all_points - first_) + 1;
  const auto first = start_.begin() + (from - first_) + 1 + searched;
  return first_ + static_cast<Index>(std::upper_bound(first, last, point) - start_.begin()) - 1;
}

}  // namespace polyak
#endif
