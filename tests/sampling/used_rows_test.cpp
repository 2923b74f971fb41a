// Rows that take part in sampling, against a plain list of them; and the table-free law over them
// against the table.

#include "sampling/used_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/random.hpp"
#include "sampling/row_table.hpp"

namespace polyak::test {
namespace {

constexpr Index block = UsedRows::block_rows;

struct Case {
  const char* name;
  std::vector<double> numbers;
};

// About one row in `every` takes part.
std::vector<double> some(Index rows, std::uint64_t every, std::uint64_t seed) {
  std::vector<double> out;
  for (Index j = 0; j < rows; ++j)
    out.push_back(Random(seed, 0).bits(to_size(j), 0) % every == 0 ? 1.0 : 0.0);
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> out{{"one row", {1.0}},
                        {"two rows, the last", {0.0, 1.0}},
                        {"all of a part of a block", std::vector<double>(100, 1.0)},
                        {"a whole block", std::vector<double>(to_size(block), 1.0)},
                        {"a block and one", std::vector<double>(to_size(block) + 1, 1.0)},
                        {"half of them", some(3 * block + 17, 2, 1)},
                        {"few", some(5 * block + 4095, 1000, 2)},
                        {"hardly any", some(20 * block, 30000, 3)}};
  std::vector<double> mixed(to_size(6 * block), 1.0);  // whole, empty, mixed, empty, mixed, whole
  std::fill_n(mixed.begin() + block, block, 0.0);
  std::fill_n(mixed.begin() + 3 * block, block, 0.0);
  for (const Index j : {2 * block, 3 * block - 1, 4 * block + 63, 4 * block + 64, 5 * block - 1})
    mixed[to_size(j)] = 0.0;
  out.push_back({"blocks of every kind", mixed});
  std::vector<double> last(to_size(2 * block + 5), 0.0);
  last.back() = 5e-324;
  out.push_back({"only the last one, by the smallest number", last});
  return out;
}

// In pieces of different lengths.
UsedRows used_of(const std::vector<double>& numbers) {
  UsedRows out;
  std::size_t first = 0;
  for (std::size_t length = 1; first < numbers.size(); length = length * 3 % 5003 + 1) {
    const std::size_t count = std::min(length, numbers.size() - first);
    out.add({numbers.data() + first, count});
    first += count;
  }
  out.finish();
  return out;
}

TEST(UsedRows, AreFoundByTheirRank) {
  for (const auto& [name, numbers] : cases()) {
    SCOPED_TRACE(name);
    const UsedRows used = used_of(numbers);
    Index rank = 0;
    for (Index j = 0; j < std::ssize(numbers); ++j) {
      const bool has = numbers[to_size(j)] > 0.0;
      ASSERT_EQ(used.has(j), has) << j;
      ASSERT_EQ(used.rank(j), rank) << j;
      if (has) {
        ASSERT_EQ(used.row(rank), j);
      }
      rank += has;
    }
    EXPECT_EQ(used.count(), rank);
    EXPECT_EQ(used.rows(), std::ssize(numbers));
    EXPECT_EQ(used.all(), rank == std::ssize(numbers));
    EXPECT_EQ(used.before(used.blocks()), rank);
  }
}

TEST(UsedRows, OfNumbersThatAreNoneAreNotUsed) {
  const UsedRows used = used_of({std::numeric_limits<double>::quiet_NaN(), -1.0, 2.0});
  EXPECT_EQ(used.count(), 1);
  EXPECT_EQ(used.row(0), 2);
}

TEST(UsedRows, HaveTheRangesOfTheTable) {
  for (const auto& [name, numbers] : cases()) {
    SCOPED_TRACE(name);
    std::vector<double> weights;
    for (const double v : numbers) weights.push_back(v > 0.0 ? 1.0 : 0.0);
    const RowTable table(integer_starts(weights).of_row);
    const RowTable even = RowTable::even(std::make_shared<const UsedRows>(used_of(numbers)));
    EXPECT_TRUE(even.is_even());
    EXPECT_EQ(even.rows(), table.rows());
    EXPECT_EQ(even.starts(), table.starts());
    for (Index j = 0; j < std::ssize(numbers); j += 7)
      ASSERT_EQ(even.row_points(j), table.row_points(j));
  }
}

TEST(UsedRows, AreDrawnAsByTheTableWithTheSameWeights) {
  for (const auto& [name, numbers] : cases()) {
    SCOPED_TRACE(name);
    std::vector<double> weights, own;
    for (const double v : numbers) weights.push_back(v > 0.0 ? 1.0 : 0.0);
    for (std::size_t j = 0; j < numbers.size(); ++j)
      own.push_back(0.5 + static_cast<double>(j % 7));
    const RowTable table(integer_starts(weights).of_row);
    const RowTable even = RowTable::even(std::make_shared<const UsedRows>(used_of(numbers)));
    std::vector<std::uint64_t> bits(4000);
    Random(5, 1).bits(0, 0, bits.size(), bits.data());
    bits.insert(bits.end(), {0, 3, ~std::uint64_t{0}, ~std::uint64_t{3}});
    const std::vector<std::uint64_t> starts = table.starts();
    for (std::size_t j = 0; j < numbers.size(); j += 61)  // the ends of ranges
      for (const std::uint64_t point : {starts[j], starts[j] - 1})
        if (point < 1ull << 62) bits.push_back(point << 2);
    std::vector<Index> expected(bits.size()), found(bits.size());
    std::vector<double> expected_weights(bits.size()), found_weights(bits.size());
    table.find(bits.data(), bits.size(), expected.data(), {own.data(), 0.3},
               expected_weights.data());
    even.find(bits.data(), bits.size(), found.data(), {own.data(), 0.3}, found_weights.data());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found_weights, expected_weights);
    for (const Index j : found) ASSERT_GT(numbers[to_size(j)], 0.0);
  }
}

}  // namespace
}  // namespace polyak::test
