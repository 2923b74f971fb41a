// The device's draws, run on the host, against the sampler: equal to the integer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "cuda/draw.hpp"
#include "sampling/batches.hpp"
#include "sampling/sampler.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// The table as the device makes it.
struct HostTable {
  explicit HostTable(std::vector<double> const& weights) : starts(integer_starts(weights).of_row) {
    starts.resize(weights.size() + 1);
    const auto rows = static_cast<std::int64_t>(weights.size());
    const int shift = cuda::table_shift(rows);
    const std::uint64_t cells = std::uint64_t{1} << (64 - shift);
    for (std::uint64_t cell = 0; cell < cells; ++cell)
      lines.push_back(cuda::make_line(starts.data(), rows, cell, shift));
    lines.push_back({{}, weights.size() - 1});
    view = {lines.data(), starts.data(), rows, shift};
  }
  cuda::Drawn find(std::uint64_t bits) const {
    return cuda::find_row(view, lines[bits >> view.shift], bits);
  }

  std::vector<std::uint64_t> starts;
  std::vector<cuda::RowLine> lines;
  cuda::RowTable view;
};

std::vector<std::vector<double>> laws() {
  const Random random(5, stream::entries);
  std::vector<double> uniform(1000, 1.0), skewed(5000), gaps(3000), one_heavy(300, 1e-12);
  for (std::size_t j = 0; j < skewed.size(); ++j) skewed[j] = std::pow(random.uniform(0, j), 12.0);
  for (std::size_t j = 0; j < gaps.size(); ++j)
    gaps[j] = random.uniform(1, j) < 0.9 ? 0.0 : random.uniform(2, j);
  one_heavy[137] = 1.0;
  return {{1.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 2.0, 4.0}, uniform, skewed, gaps, one_heavy};
}

// Draws, and the first and last point of every row.
std::vector<std::uint64_t> points_to_try(const HostTable& table) {
  std::vector<std::uint64_t> out{0, ~std::uint64_t{0}};
  const Random random(9, 0);
  for (std::uint64_t t = 0; t < 5000; ++t) out.push_back(random.bits(3, t));
  for (std::size_t j = 0; j + 1 < table.starts.size(); ++j) {
    if (table.starts[j] == table.starts[j + 1]) continue;
    out.push_back(table.starts[j] << 2);
    out.push_back((table.starts[j + 1] << 2) - 1);
  }
  return out;
}

TEST(CudaDraws, HaveTheBitsOfRandom) {
  for (const std::uint64_t seed : {0ull, 1ull, 0xfedcba9876543210ull}) {
    for (const std::uint64_t stream : {stream::sampling, stream::sampling + 7, stream::kernel}) {
      const Random random(seed, stream);
      const cuda::Key key = cuda::draw_key(seed, stream);
      for (const std::uint64_t k : {0ull, 1ull, 77ull, (1ull << 32) + 5})
        for (const std::uint64_t t : {0ull, 1ull, 2ull, 999ull, (1ull << 33) + 1})
          EXPECT_EQ(cuda::draw_bits(key, k, t), random.bits(k, t));
    }
  }
}

TEST(CudaDraws, FindTheRowsAndProbabilitiesOfTheSampler) {
  for (const auto& weights : laws()) {
    const Sampler sampler(weights);
    const HostTable table(weights);
    for (const std::uint64_t bits : points_to_try(table)) {
      const cuda::Drawn drawn = table.find(bits);
      const auto row = static_cast<Index>(drawn.row);
      ASSERT_EQ(row, sampler.find(bits)) << weights.size() << " rows, bits " << bits;
      ASSERT_EQ(static_cast<double>(drawn.points) * 0x1p-62, sampler.probability(row));
    }
  }
}

TEST(CudaDraws, AreTheBatchAndWeightsOfTheDrawer) {
  const auto weights = laws()[5];
  std::vector<double> own(weights.size());
  for (std::size_t j = 0; j < own.size(); ++j) own[j] = 0.5 + 1.0 / static_cast<double>(j + 1);
  const Sampler sampler(weights);
  const HostTable table(weights);
  ThreadTeam team(1);
  constexpr Index batch = 3001, k = 12;
  BatchDrawer drawer(sampler, batch, own, team);
  drawer.draw(Random(42, stream::sampling), k);
  std::vector<std::pair<Index, double>> expected, found;
  for (std::size_t i = 0; i < drawer.rows().size(); ++i)
    expected.emplace_back(drawer.rows()[i], drawer.weights()[i]);
  const cuda::Key key = cuda::draw_key(42, stream::sampling);
  for (Index t = 0; t < batch; ++t) {
    const auto drawn = table.find(
        cuda::draw_bits(key, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(t)));
    found.emplace_back(
        static_cast<Index>(drawn.row),
        cuda::draw_weight(own[drawn.row], 1.0 / static_cast<double>(batch), drawn.points));
  }
  std::sort(found.begin(), found.end());  // the drawer's list is sorted by row
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace polyak::test
