#include "core/thread_team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "polyak/error.hpp"
#include "support/sanitized.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

// How often each chunk was done.
std::vector<int> visits(ThreadTeam& team, Index count) {
  std::vector<std::atomic<int>> done(to_size(count));
  team.run(count, [&](Index chunk) { done[to_size(chunk)].fetch_add(1); });
  return {done.begin(), done.end()};
}

class ThreadTeams : public ::testing::TestWithParam<int> {};

TEST_P(ThreadTeams, HaveTheSizeThatWasAskedFor) {
  EXPECT_EQ(ThreadTeam(GetParam()).size(), GetParam());
}

TEST_P(ThreadTeams, DoEveryChunkExactlyOnce) {
  ThreadTeam team(GetParam());
  for (const Index count : {0, 1, 2, 3, 64, 1000})
    EXPECT_EQ(visits(team, count), std::vector<int>(to_size(count), 1)) << count;
}

TEST_P(ThreadTeams, SeeWhatTheCallerWroteBeforeAndShowItWhatTheyWrote) {
  ThreadTeam team(GetParam());
  std::vector<Index> in(100), out(100);
  for (Index round = 0; round < 500; ++round) {
    std::iota(in.begin(), in.end(), round);
    team.run(100, [&](Index chunk) { out[to_size(chunk)] = 2 * in[to_size(chunk)]; });
    ASSERT_EQ(std::accumulate(out.begin(), out.end(), Index{0}), 2 * (100 * round + 4950));
  }
}

TEST_P(ThreadTeams, RethrowWhatAChunkThrew) {
  ThreadTeam team(GetParam());
  for (const Index count : {1, 2, 1000}) {
    try {
      team.run(count, [&](Index chunk) {
        if (chunk == count / 2) throw std::runtime_error("chunk " + std::to_string(chunk));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(std::string(e.what()), "chunk " + std::to_string(count / 2));
    }
  }
}

TEST_P(ThreadTeams, CanBeUsedAfterAnException) {
  ThreadTeam team(GetParam());
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(team.run(50, [](Index) { throw 1; }), int);
    ASSERT_EQ(visits(team, 50), std::vector<int>(50, 1));
  }
}

TEST_P(ThreadTeams, WakeUpAfterALongRest) {
  ThreadTeam team(GetParam());
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(visits(team, 10), std::vector<int>(10, 1));
  }
}

TEST_P(ThreadTeams, TakeAConstBodyAndATemporaryOne) {
  ThreadTeam team(GetParam());
  std::atomic<Index> sum{0};
  const auto body = [&](Index chunk) { sum += chunk; };
  team.run(10, body);
  team.run(10, [&](Index chunk) { sum += chunk; });
  EXPECT_EQ(sum, 90);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeams, ::testing::Values(1, 2, 3, 7));

TEST(ThreadTeam, TakesAtLeastOneThreadWhenNoneIsAskedFor) {
  EXPECT_GE(ThreadTeam(0).size(), 1);
  EXPECT_GE(ThreadTeam(-3).size(), 1);
}

TEST(ThreadTeam, LetsTwoTeamsWorkInTwoThreads) {
  const auto work = [](Index factor, std::vector<Index>& out) {
    ThreadTeam team(3);
    for (int round = 0; round < 500; ++round)
      team.run(std::ssize(out), [&](Index chunk) { out[to_size(chunk)] += factor * chunk; });
  };
  std::vector<Index> a(40, 0), b(40, 0);
  std::thread other(work, 3, std::ref(b));
  work(2, a);
  other.join();
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(a[to_size(i)], 500 * 2 * i);
    EXPECT_EQ(b[to_size(i)], 500 * 3 * i);
  }
}

TEST(ThreadTeam, ComesAndGoesWithoutWork) {
  for (int i = 0; i < 100; ++i) ThreadTeam(4);
}

#ifndef POLYAK_SANITIZED
// Address space for a few stacks and no more.
void ask_for_too_many_threads() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t bytes = pages * 4096 + (rlim_t{100} << 20);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
  try {
    ThreadTeam(4096);
  } catch (const Error& e) {
    std::_Exit(static_cast<int>(e.code()));
  }
  std::_Exit(0);
}

TEST(ThreadTeam, ThrowsWhenTheSystemRefusesAThreadAndEndsTheOnesItHas) {
  EXPECT_EXIT(ask_for_too_many_threads(),
              ::testing::ExitedWithCode(static_cast<int>(ErrorCode::out_of_memory)), "");
}
#endif

}  // namespace
}  // namespace polyak
