#include "sampling/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "polyak/simd.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// Some rows never drawn, some often, some hardly ever.
std::vector<double> weights_of(Index rows) {
  std::vector<double> out(to_size(rows));
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = j % 5 == 2 ? 0.0 : j % 97 == 0 ? 300.0 : j % 7 == 0 ? 1e-9 : 1.0 + std::sin(j);
  return out;
}

struct Expected {
  std::vector<Index> rows;
  std::vector<double> weights;
};

// By the definition: one draw after the other, sorted; w/(B·p) as methods write it.
Expected expected(const Sampler& sampler, const Random& random, Index k, Index batch,
                  const std::vector<double>& own) {
  Expected out;
  for (Index t = 0; t < batch; ++t)
    out.rows.push_back(
        sampler.find(random.bits(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(t))));
  std::sort(out.rows.begin(), out.rows.end());
  const double over_batch = 1.0 / static_cast<double>(batch);
  for (Index row : out.rows) {
    const double w = own.empty() ? 1.0 : own[to_size(row)];
    out.weights.push_back(w * over_batch / sampler.probability(row));
  }
  return out;
}

void expect_drawn(BatchDrawer& drawer, const Random& random, Index k, const Expected& wanted) {
  drawer.draw(random, k);
  ASSERT_TRUE(std::equal(wanted.rows.begin(), wanted.rows.end(), drawer.rows().begin(),
                         drawer.rows().end()));
  ASSERT_TRUE(std::equal(wanted.weights.begin(), wanted.weights.end(), drawer.weights().begin(),
                         drawer.weights().end()));
}

class TeamsOf : public testing::TestWithParam<int> {};

TEST_P(TeamsOf, ThreadsDrawTheSameBatches) {
  ThreadTeam team(GetParam());
  const Random random(31, 2);
  for (const Index rows : {1, 7, 1000, 70'000}) {
    const Sampler sampler(weights_of(rows));
    std::vector<double> own;
    for (Index j = 0; j < rows; ++j) own.push_back(0.3 + static_cast<double>(j % 10));
    for (const Index batch : {0, 1, 2, 100, 2047, 2048, 2049, 4096, 5001, 60'000}) {
      BatchDrawer plain(sampler, batch, {}, team), weighted(sampler, batch, own, team);
      for (const Index k : {Index{0}, Index{3}, Index{1} << 40}) {
        expect_drawn(plain, random, k, expected(sampler, random, k, batch, {}));
        expect_drawn(weighted, random, k, expected(sampler, random, k, batch, own));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TeamsOf, testing::Values(1, 2, 3, 5));

TEST(BatchDrawer, DrawsTheSameWithEveryTarget) {
  ThreadTeam team(2);
  const Sampler sampler(weights_of(3000));
  const Random random(4, 0);
  for (const Index batch : {100, 9000}) {
    BatchDrawer drawer(sampler, batch, {}, team);
    const Expected wanted = expected(sampler, random, 5, batch, {});
    for (const std::string& target : simd_targets()) {
      ASSERT_TRUE(use_simd_target(target));
      expect_drawn(drawer, random, 5, wanted);
    }
    use_simd_target(simd_targets().front());
  }
}

TEST(BatchWindow, GivesEachIterationItsBatchInAnyOrder) {
  const Sampler sampler(weights_of(500));
  const Random random(9, 2);
  for (const int threads : {1, 3}) {
    ThreadTeam team(threads);
    for (const Index batch : {1, 60, 3000}) {
      BatchWindow window(sampler, batch, {}, team, random);
      for (const Index k : {0, 1, 2, 17, 16, 40, 39, 3, 1000000007}) {
        const BatchDrawer& drawn = window.at(k);
        const Expected wanted = expected(sampler, random, k, batch, {});
        EXPECT_TRUE(std::equal(wanted.rows.begin(), wanted.rows.end(), drawn.rows().begin(),
                               drawn.rows().end()))
            << batch << " at " << k;
        EXPECT_TRUE(std::equal(wanted.weights.begin(), wanted.weights.end(),
                               drawn.weights().begin(), drawn.weights().end()));
      }
    }
  }
}

// More than one bucket's worth of draws for each cell of the last sort.
TEST(BatchDrawer, SortsBatchesOfMillions) {
  ThreadTeam team(2);
  const Sampler sampler(weights_of(100'000));
  const Random random(6, 0);
  BatchDrawer drawer(sampler, 5'000'000, {}, team);
  drawer.draw(random, 1);
  EXPECT_TRUE(std::is_sorted(drawer.rows().begin(), drawer.rows().end()));
  const Expected wanted = expected(sampler, random, 1, 5'000'000, {});
  EXPECT_TRUE(std::equal(wanted.rows.begin(), wanted.rows.end(), drawer.rows().begin(),
                         drawer.rows().end()));
}

}  // namespace
}  // namespace polyak::test
