#include "bench/harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace polyak::bench {
using namespace polyak::bench::internal;

namespace {

Contender scripted(const std::string& name, std::vector<double> seconds,
                   std::string* log = nullptr) {
  return {name, 100.0, [=, k = std::size_t{0}](Index) mutable {
            if (log) *log += name;
            return seconds[k++ % seconds.size()];
          }};
}

Pace rounds(Index count) {
  Pace pace;
  pace.seconds = 0.0;
  pace.short_run_s = 0.0;
  pace.least_rounds = pace.most_rounds = count;
  return pace;
}

TEST(Spread, IsTheMedianAndTheQuartilesInAnyOrder) {
  const Spread s = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(s.median, 3.0);
  EXPECT_EQ(s.low, 2.0);
  EXPECT_EQ(s.high, 4.0);
}

TEST(Spread, IsLinearBetweenSamples) {
  const Spread s = spread_of({1, 2, 3, 4});
  EXPECT_EQ(s.median, 2.5);
  EXPECT_EQ(s.low, 1.75);
  EXPECT_EQ(s.high, 3.25);
}

TEST(Spread, OfOneSampleIsThatSample) {
  const Spread s = spread_of({7});
  EXPECT_EQ(s.median, 7.0);
  EXPECT_EQ(s.low, 7.0);
  EXPECT_EQ(s.high, 7.0);
}

TEST(Race, GivesEveryContenderItsTurnInEveryRound) {
  std::string log;
  Race race("kernels", "turns");
  for (const char* name : {"a", "b", "c"}) race.add(scripted(name, {1.0}, &log));
  race.run(rounds(12));
  ASSERT_EQ(log.size(), 6u + 12u * 3u);
  EXPECT_EQ(log.substr(0, 6), "aabbcc");  // two guesses at the length of a run, then rounds
  std::set<std::string> orders;
  for (std::size_t at = 6; at < log.size(); at += 3) {
    std::string round = log.substr(at, 3);
    orders.insert(round);
    std::sort(round.begin(), round.end());
    EXPECT_EQ(round, "abc");
  }
  EXPECT_GE(orders.size(), 4u);  // nobody is always first, or always after the same one
  EXPECT_EQ(race.rounds().size(), 12u);
}

TEST(Race, BringsTheCachesToAKnownStateBeforeEachRun) {
  std::string log;
  Race race("kernels", "washing");
  race.add(scripted("a", {1.0}, &log));
  race.add(scripted("b", {1.0}, &log));
  Pace pace = rounds(2);
  pace.before_each = [&] { log += "-"; };
  race.run(pace);
  ASSERT_EQ(log.size(), 4u + 8u);
  for (std::size_t at = 4; at < log.size(); at += 2) {
    EXPECT_EQ(log[at], '-') << log;
    EXPECT_NE(log[at + 1], '-') << log;
  }
}

TEST(Race, FillsAShortRunWithCalls) {
  Index asked = 0;
  Race race("kernels", "calls");
  race.add({"a", 0.0, [&](Index calls) {
              asked = calls;
              return 1e-3;
            }});
  Pace pace = rounds(1);
  pace.short_run_s = 0.0105;
  race.run(pace);
  EXPECT_EQ(asked, 10);
}

TEST(Race, ComparesWithinARoundAndNotAcross) {
  // Both slow down a thousandfold in the second round: b is always twice as fast.
  Race race("kernels", "ratios");
  race.add(scripted("a", {2.0, 2000.0, 2.0}));
  race.add(scripted("b", {1.0, 1000.0, 1.0}));
  race.run(rounds(3));
  race.faster("b", "a", "a");
  race.part("b", "a", "of a");
  race.share("b", "a", "of a's rate");
  race.above("a", "b", "above b");
  const Table table = race.table();
  ASSERT_EQ(table.lines.size(), 2u);
  const auto& figures = table.lines[1].figures;
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].value.median, 2.0);
  EXPECT_EQ(figures[0].value.low, 2.0);
  EXPECT_EQ(figures[0].value.high, 2.0);
  EXPECT_EQ(figures[1].value.median, 50.0);
  EXPECT_EQ(figures[2].value.median, 200.0);
  EXPECT_EQ(table.lines[0].figures.at(0).unit, "ns");
}

TEST(Race, LeavesOutFiguresOfContendersThatAreNotThere) {
  Race race("kernels", "no peers");
  race.add(scripted("a", {1.0}));
  race.run(rounds(3));
  race.faster("a", "NumPy", "NumPy");
  race.share("NumPy", "a", "of a");
  EXPECT_TRUE(race.table().lines[0].figures.empty());
}

}  // namespace
}  // namespace polyak::bench
