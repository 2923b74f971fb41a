// Ranks that share the rows draw together what one would, each its own rows, to
// the last bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <tuple>

#include "polyak/error.hpp"
#include "sampling/batches.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

using Cuts = std::vector<Index>;  // where ranks' rows begin, and the end

// Some rows never drawn, some often, some hardly ever; not one sum is exact.
std::vector<double> uneven_weights(Index rows) {
  std::vector<double> out(to_size(rows));
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = j % 5 == 2 ? 0.0 : j % 97 == 0 ? 300.1 : j % 7 == 0 ? 1e-19 : 1.0 + std::sin(j);
  return out;
}

// body(weights of the rank's rows, first row, ranks) on a thread for each rank.
template <class Body>
void on_cuts(const std::vector<double>& weights, const Cuts& cuts, Body body) {
  const Index ranks = std::ssize(cuts) - 1;
  Meeting meeting(ranks);
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const Index first = cuts[to_size(rank)], last = cuts[to_size(rank) + 1];
      ThreadCommunicator communicator(meeting, rank);
      body(std::span(weights).subspan(to_size(first), to_size(last - first)), first, communicator);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// One, several, uneven, and some with nothing: no rows, or rows of weight zero.
std::vector<Cuts> cuts_of(Index n) {
  return {{0, n},
          {0, n / 2, n},
          {0, n / 3, n / 3, std::max(n / 3, n - 1), n},
          {0, 0, n, n},
          {0, n / 10, n / 9, std::min(n, n / 2 + 1), std::min(n, n / 2 + 2), n, n}};
}

TEST(RanksThatShareRows, HaveThePointsOfOne) {
  for (const Index n : {1, 3, 12, 1000, 30'011}) {
    std::vector<double> weights = uneven_weights(n);
    weights[0] = 0.1;
    const auto alone = integer_starts(weights);
    EXPECT_EQ(alone.first, 0u);
    EXPECT_EQ(alone.of_row.back(), 1ull << 62);
    for (const Cuts& cuts : cuts_of(n)) {
      std::vector<std::uint64_t> together(alone.of_row.size(), 1ull << 62);
      on_cuts(weights, cuts, [&](std::span<const double> own, Index first, Communicator& ranks) {
        const auto starts = integer_starts(own, ranks);
        EXPECT_EQ(starts.of_row.size(), own.size() + 1);
        for (std::size_t j = 0; j < own.size(); ++j)
          together[to_size(first) + j] = starts.first + starts.of_row[j];
        EXPECT_EQ(starts.first + starts.of_row.back(), alone.of_row[to_size(first) + own.size()]);
      });
      EXPECT_EQ(together, alone.of_row) << n << " rows, " << cuts.size() - 1 << " ranks";
    }
  }
}

struct Drawn {
  std::vector<Index> rows;
  std::vector<double> weights;
  void add(const BatchDrawer& drawer) {
    rows.insert(rows.end(), drawer.rows().begin(), drawer.rows().end());
    weights.insert(weights.end(), drawer.weights().begin(), drawer.weights().end());
  }
};

// The number of threads of each rank.
class RanksOfTeams : public testing::TestWithParam<int> {
 protected:
  Drawn together(const std::vector<double>& weights, const std::vector<double>& own_weights,
                 Index batch, const Cuts& cuts) const {
    std::vector<Drawn> drawn(cuts.size() - 1);
    const auto body = [&, size = GetParam()](std::span<const double> own, Index first,
                                             Communicator& ranks) {
      ThreadTeam team(size);
      const Sampler sampler(own, first, ranks);
      BatchDrawer drawer(sampler, batch, own_weights, team);
      drawer.draw(random_, 3);  // what was drawn before leaves no trace
      drawer.draw_alone(random_, 4);
      drawer.draw(random_, 7);
      drawn[to_size(ranks.rank())].add(drawer);
    };
    on_cuts(weights, cuts, body);
    Drawn out;
    for (const Drawn& part : drawn) {
      out.rows.insert(out.rows.end(), part.rows.begin(), part.rows.end());
      out.weights.insert(out.weights.end(), part.weights.begin(), part.weights.end());
    }
    return out;
  }

  Random random_{31, 2};
};

TEST_P(RanksOfTeams, DrawTheRowsAndWeightsOfOne) {
  ThreadTeam team(1);
  for (const Index n : {3, 1000, 30'011}) {
    const std::vector<double> weights = uneven_weights(n);
    const Sampler alone(weights);
    std::vector<double> own_weights;
    for (Index j = 0; j < n; ++j) own_weights.push_back(0.3 + static_cast<double>(j % 10));
    for (const Index batch : {0, 1, 100, 2048, 5001, 60'000}) {
      BatchDrawer drawer(alone, batch, own_weights, team);
      drawer.draw(random_, 7);
      Drawn expected;
      expected.add(drawer);
      for (const Cuts& cuts : cuts_of(n)) {
        const Drawn found = together(weights, own_weights, batch, cuts);
        EXPECT_EQ(found.rows, expected.rows) << n << " rows, batch " << batch;
        EXPECT_EQ(found.weights, expected.weights) << n << " rows, batch " << batch;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RanksOfTeams, testing::Values(1, 3));

TEST(RanksThatShareRows, KeepTablesOfTheirOwnRowsOnly) {
  const std::vector<double> weights = uneven_weights(1000);
  const Sampler alone(weights);
  on_cuts(weights, {0, 400, 1000},
          [&](std::span<const double> own, Index first, Communicator& ranks) {
            const Sampler sampler(own, first, ranks);
            EXPECT_EQ(sampler.rows(), std::ssize(own));
            EXPECT_EQ(sampler.first(), first);
            EXPECT_FALSE(sampler.has_all_points());
            for (Index j = first; j < first + sampler.rows(); ++j)
              EXPECT_EQ(sampler.probability(j), alone.probability(j));
          });
}

TEST(RanksThatShareRows, AllRefuseWeightsThatOneCannotUse) {
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> weights(10, 1.0);
    weights[8] = bad;
    std::vector<std::string> told(3);
    on_cuts(weights, {0, 4, 7, 10}, [&](std::span<const double> own, Index, Communicator& ranks) {
      try {
        integer_starts(own, ranks);
      } catch (const Error& error) {
        told[to_size(ranks.rank())] = error.what();
      }
    });
    for (const std::string& line : told)
      EXPECT_NE(line.find("a negative or non-finite one"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace polyak::test
