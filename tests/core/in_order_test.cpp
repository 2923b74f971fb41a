// Numbers of several threads, used in the order of chunks.

#include "core/in_order.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "core/random.hpp"
#include "core/thread_team.hpp"

namespace polyak::test {
namespace {

// Chunk k has the numbers 1000k, 1000k + 1, …, in pieces.
constexpr Index chunk_numbers = 1000;

std::vector<double> used_in_order(int threads, Index chunks, Index most_kept, bool slow_first) {
  std::vector<double> out;
  InOrder in_order(chunks, most_kept, [&](std::span<const double> numbers) {
    out.insert(out.end(), numbers.begin(), numbers.end());
  });
  ThreadTeam team(threads);
  team.run(chunks, [&](Index chunk) {
    in_order.chunk(chunk, [&](Index) {
      if (slow_first && chunk % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (Index first = 0; first < chunk_numbers; first += 70) {
        std::vector<double> piece(to_size(std::min<Index>(70, chunk_numbers - first)));
        std::iota(piece.begin(), piece.end(), static_cast<double>(chunk * chunk_numbers + first));
        in_order.add(chunk, piece);
      }
    });
  });
  return out;
}

TEST(InOrder, NumbersAreUsedInTheOrderOfChunksWhateverIsKept) {
  for (const int threads : {1, 2, 3, 7})
    for (const Index most_kept : {Index{0}, Index{70}, Index{1500}, Index{1} << 40})
      for (const bool slow_first : {false, true}) {
        std::vector<double> expected(to_size(20 * chunk_numbers));
        std::iota(expected.begin(), expected.end(), 0.0);
        EXPECT_EQ(used_in_order(threads, 20, most_kept, slow_first), expected)
            << threads << " threads, " << most_kept;
      }
}

TEST(InOrder, ChunksMayBeEmpty) {
  Index used = 0;
  InOrder in_order(5, 0, [&](std::span<const double> numbers) { used += std::ssize(numbers); });
  ThreadTeam team(3);
  team.run(5, [&](Index chunk) {
    in_order.chunk(chunk, [&](Index) {
      if (chunk == 3) in_order.add(chunk, std::vector<double>(4));
    });
  });
  EXPECT_EQ(used, 4);
}

// The first chunk fails while others wait for their turn: all end, and the error is told.
TEST(InOrder, AnErrorInAChunkEndsTheWaitOfTheOthers) {
  for (const Index failing : {0, 1, 5, 9}) {
    ThreadTeam team(3);
    InOrder in_order(10, 10, [](std::span<const double>) {});
    EXPECT_THROW(team.run(10,
                          [&](Index chunk) {
                            in_order.chunk(chunk, [&](Index) {
                              if (chunk == failing) {
                                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                throw std::runtime_error("a disk");
                              }
                              for (int i = 0; i < 5; ++i)
                                in_order.add(chunk, std::vector<double>(20));
                            });
                          }),
                 std::runtime_error);
  }
}

TEST(InOrder, AnErrorInTheUseIsToldToo) {
  ThreadTeam team(3);
  InOrder in_order(10, 10, [count = 0](std::span<const double>) mutable {
    if (++count == 13) throw std::bad_alloc();
  });
  EXPECT_THROW(team.run(10,
                        [&](Index chunk) {
                          in_order.chunk(chunk, [&](Index) {
                            for (int i = 0; i < 5; ++i)
                              in_order.add(chunk, std::vector<double>(20));
                          });
                        }),
               std::bad_alloc);
}

}  // namespace
}  // namespace polyak::test
