#pragma once

/// \file communicator.hpp
/// Collective operations of the processes (ranks) that share the rows of one matrix.
///
/// Every rank calls the same operations in the same order, with as many numbers; an
/// operation returns once its result is known here. Results have the same bits on every
/// rank, so that every decision that follows from them is the same everywhere.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual Index rank() const = 0;  ///< of this process, from 0
  virtual Index size() const = 0;  ///< number of ranks

  /// Allreduce: each number becomes its sum over all ranks.
  virtual void sum(std::span<double> values) = 0;
  /// Allreduce: each number becomes the largest of all ranks; NaN counts as larger than any.
  virtual void max(std::span<double> values) = 0;
  /// Every rank gets the numbers of rank `root`.
  virtual void broadcast(std::span<double> values, Index root) = 0;
  /// All-to-all: words[r] goes to rank r. `received` becomes what all ranks sent to this
  /// one, in the order of their ranks.
  virtual void exchange(std::span<const std::vector<std::uint64_t>> words,
                        std::vector<std::uint64_t>& received) = 0;

  /// One process that holds all rows: every operation leaves its values as they are.
  static Communicator& single();
};

/// Allgather: the words of every rank, in the order of ranks.
template <std::size_t count>
std::vector<std::array<std::uint64_t, count>> all_gather(
    Communicator& ranks, const std::array<std::uint64_t, count>& own) {
  const std::vector<std::vector<std::uint64_t>> words(to_size(ranks.size()),
                                                      {own.begin(), own.end()});
  std::vector<std::uint64_t> received;
  ranks.exchange(words, received);
  std::vector<std::array<std::uint64_t, count>> out(words.size());
  for (std::size_t i = 0; i < received.size(); ++i) out[i / count][i % count] = received[i];
  return out;
}

}  // namespace polyak
#pragma GCC visibility pop
