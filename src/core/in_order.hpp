#pragma once

// Numbers that the threads of a team compute in chunks, used by one thread at a time in the order
// of the chunks: for sums in the order of rows over more rows than there is memory for their
// numbers. What is computed before its turn is kept, up to a limit; beyond it a thread waits.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

class InOrder {
 public:
  /// Chunks 0 .. chunks-1, begun in this order (ThreadTeam::run). `use` gets the numbers of all
  /// chunks, one after the other.
  InOrder(Index chunks, Index most_kept, std::function<void(std::span<const double>)> use);

  /// body(chunk), which calls add(), and the end of this chunk. Where it throws, the threads that
  /// wait go on, and nothing is used any more.
  template <class Body>
  void chunk(Index chunk, Body body) {
    try {
      body(chunk);
      end(chunk);
    } catch (...) {
      fail();
      throw;
    }
  }

  /// The next numbers of the chunk.
  void add(Index chunk, std::span<const double> numbers);

 private:
  using Pieces = std::deque<std::vector<double>>;

  void end(Index chunk);
  void fail();
  void use_kept(Index chunk);

  const Index most_kept_;
  const std::function<void(std::span<const double>)> use_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Index turn_ = 0;  // the chunk whose numbers are used; only its thread changes this
  Index kept_ = 0;  // numbers in pieces_
  bool failed_ = false;
  std::vector<Pieces> pieces_;  // of each chunk
  std::vector<bool> ended_;     // before their turn
};

}  // namespace polyak
