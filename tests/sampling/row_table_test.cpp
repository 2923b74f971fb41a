// The table against a plain search of the starts, where rows are much narrower
// and much wider than its cells, with every target; and the starts themselves
// against their definition.

#include "sampling/row_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/random.hpp"
#include "polyak/simd.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr std::uint64_t end = 1ull << 62;
using Starts = std::vector<std::uint64_t>;

// Points at and around every start, and some anywhere.
std::vector<std::uint64_t> telling_bits(const Starts& start) {
  std::vector<std::uint64_t> out(1000);
  Random(8, 0).bits(0, 0, out.size(), out.data());
  for (const std::uint64_t s : start)
    for (const std::uint64_t point : {s - 1, s, s + 1})
      if (point < end) out.push_back(point << 2 | (s & 3));
  return out;
}

Index plain_search(const Starts& start, std::uint64_t bits) {
  return std::upper_bound(start.begin(), start.end(), bits >> 2) - start.begin() - 1;
}

void expect_found(const Starts& start) {
  const RowTable table(start);
  const auto bits = telling_bits(start);
  std::vector<Index> rows(bits.size()), weighed(bits.size());
  std::vector<double> own(start.size(), 3.0), weights(bits.size()), scaled(bits.size());
  table.find(bits.data(), bits.size(), rows.data());
  table.find(bits.data(), bits.size(), weighed.data(), {nullptr, 0.1}, weights.data());
  table.find(bits.data(), bits.size(), weighed.data(), {own.data(), 0.1}, scaled.data());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const Index row = plain_search(start, bits[i]);
    ASSERT_EQ(table.find(bits[i]), row) << bits[i];
    ASSERT_EQ(rows[i], row);
    ASSERT_EQ(weighed[i], row);
    ASSERT_EQ(weights[i], 1.0 * 0.1 / table.probability(row));
    ASSERT_EQ(scaled[i], 3.0 * 0.1 / table.probability(row));
  }
}

TEST(RowTable, OfRowsOfTheSameWeightNeedsNoStarts) {
  for (const Index rows : {1, 2, 3, 7, 63, 1000, 12'345, (1 << 20) + 1}) {
    const IntegerStarts given = integer_starts(std::vector<double>(to_size(rows), 1.0));
    const RowTable table(given.of_row), even = RowTable::even(rows);
    EXPECT_EQ(even.starts(), table.starts());
    EXPECT_EQ(even.points(), table.points());
    EXPECT_TRUE(even.is_even() && !table.is_even());
    const auto bits = telling_bits(table.starts());
    std::vector<Index> expected(bits.size()), found(bits.size());
    std::vector<double> own(to_size(rows)), expected_weights(bits.size()), weights(bits.size());
    for (std::size_t j = 0; j < own.size(); ++j) own[j] = 0.1 + static_cast<double>(j % 11);
    for (const double* w :
         {static_cast<const double*>(nullptr), static_cast<const double*>(own.data())}) {
      table.find(bits.data(), bits.size(), expected.data(), {w, 0.3}, expected_weights.data());
      even.find(bits.data(), bits.size(), found.data(), {w, 0.3}, weights.data());
      EXPECT_EQ(expected, found);
      EXPECT_EQ(expected_weights, weights);
    }
    even.find(bits.data(), bits.size(), found.data());
    EXPECT_EQ(expected, found);
    for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(even.find(bits[i]), expected[i]);
    for (const Index j : {Index{0}, rows / 2, rows - 1})
      EXPECT_EQ(even.probability(j), table.probability(j));
  }
}

// More rows than any table could have: 2^40, and a number that 2^62 is no multiple of.
TEST(RowTable, OfManyRowsOfTheSameWeightFindsTheRowAtEachOfItsEnds) {
  for (const Index rows : {Index{1} << 40, (Index{1} << 40) - 12'345, Index{1'000'000'007}}) {
    const RowTable even = RowTable::even(rows);
    const auto n = static_cast<std::uint64_t>(rows);
    for (const Index j : {Index{0}, Index{1}, rows / 3, rows / 2 + 1, rows - 2, rows - 1}) {
      const auto row = static_cast<std::uint64_t>(j);
      const std::uint64_t start = row * (end / n) + std::min(row, end % n);
      EXPECT_EQ(even.find(start << 2), j);
      EXPECT_EQ(even.find((start + static_cast<std::uint64_t>(even.row_points(j)) - 1) << 2 | 3),
                j);
    }
  }
}

class RowTableTargets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(use_simd_target(GetParam())); }
  void TearDown() override { use_simd_target(simd_targets().front()); }
};

TEST_P(RowTableTargets, FindRowsOfAnyWidth) {
  expect_found({0, end});
  expect_found({0, 0, 0, end, end});      // rows without points at both ends
  expect_found({0, 1, 2, end - 1, end});  // of one point each, at both ends
  expect_found({0, end / 2, end});
  expect_found({0, end / 2 - 1, end / 2, end / 2 + 1, end});
  for (const std::uint64_t rows : {3ull, 6ull, 7ull, 8ull, 63ull, 64ull, 65ull, 1000ull, 5000ull}) {
    Starts even{0}, crowded{0}, late{0};
    for (std::uint64_t j = 1; j < rows; ++j) {
      even.push_back(j * (end / rows));
      crowded.push_back(j - j % 3);  // two of three have no points, all are in one cell
      late.push_back(end - rows + j);
    }
    for (Starts* start : {&even, &crowded, &late}) {
      start->push_back(end);
      expect_found(*start);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, RowTableTargets, testing::ValuesIn(simd_targets()),
                         [](const auto& given) { return given.param; });

// As first written: every weight through ldexp, every integer kept.
Starts starts_by_definition(const std::vector<double>& weights) {
  const int exponent = std::ilogb(*std::max_element(weights.begin(), weights.end()));
  double sum = 0.0, lost = 0.0;
  std::uint64_t positive = 0, given = 0;
  for (double w : weights) {
    const double v = std::ldexp(w, -exponent), next = sum + v;
    lost += std::abs(sum) >= v ? (sum - next) + v : (v - next) + sum;
    sum = next;
    positive += w > 0.0;
  }
  const double factor = static_cast<double>(end - positive) * (1.0 - 0x1p-50) / (sum + lost);
  Starts integer, start{0};
  for (double w : weights) {
    integer.push_back(w > 0.0 ? 1 + static_cast<std::uint64_t>(std::ldexp(w, -exponent) * factor)
                              : 0);
    given += integer.back();
  }
  std::uint64_t extra = (end - given) % positive;
  for (std::uint64_t v : integer) {
    if (v > 0) v += (end - given) / positive + (extra > 0 ? (--extra, 1u) : 0u);
    start.push_back(start.back() + v);
  }
  return start;
}

TEST(IntegerStarts, AreThoseOfTheirDefinitionToTheLastBit) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  constexpr double least = std::numeric_limits<double>::min();
  constexpr double most = std::numeric_limits<double>::max();
  std::vector<std::vector<double>> cases = {{1.0},
                                            {0.0, -0.0, 3.0},
                                            {tiny},
                                            {tiny, 5 * tiny, 0.0},
                                            {least, tiny, least / 3},
                                            {most, most, most},
                                            {most, tiny, 1.0, 0.0},
                                            {0.5, most / 7, least},
                                            {1e-300, 1.0, 1e300}};
  for (const int power : {-1070, -1022, -500, 0, 500, 1000}) {
    std::vector<double> any;
    for (std::uint64_t j = 0; j < 3000; ++j)
      any.push_back(j % 11 == 3 ? 0.0 : std::ldexp(Random(9, 0).uniform(0, j), power));
    cases.push_back(any);
  }
  for (const auto& weights : cases)
    EXPECT_EQ(integer_starts(weights).of_row, starts_by_definition(weights)) << weights[0];
}

}  // namespace
}  // namespace polyak::test
