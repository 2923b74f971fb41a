#pragma once

// What the contenders work on: a matrix in memory, and rows that nobody has
// asked for lately.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/matrices.hpp"

namespace polyak::bench {

/// Numbers in (-1, 1), the same for any number of threads, on large pages.
std::vector<double> random_values(Index count, std::uint64_t seed, ThreadTeam& team);

/// Uniform row numbers, `batch` a call, new ones for every call: rows asked for
/// twice would be read from the cache.
class FreshRows {
 public:
  enum class Order { sorted, any };
  FreshRows(Index rows, Index batch, std::uint64_t seed, Order order = Order::sorted);

  void prepare(Index calls);
  std::span<const Index> operator()(Index call) const {
    return {drawn_.data() + call * batch_, to_size(batch_)};
  }

 private:
  void draw_sorted(std::span<Index> out);
  void draw_any(std::span<Index> out);

  Index rows_, batch_;
  Order order_;
  Random random_;
  std::uint64_t k_ = 0;
  std::vector<Index> drawn_;
  std::vector<double> gaps_;
};

/// Reads more than the last cache holds, so that no contender finds there what
/// the one before it left.
class Wash {
 public:
  Wash(Index bytes, ThreadTeam& team) : values_(to_size(bytes / 8), 1.0), team_(team) {}
  void operator()();
  double sum() const { return sum_; }  // so that the reading is not in vain

 private:
  std::vector<double> values_;
  ThreadTeam& team_;
  double sum_ = 0.0;
};

/// `rows` sparse rows of `entries` values each, spread over the columns as the
/// pixels on a line through an image are.
Csr<double, std::int32_t> line_matrix(Index rows, Index cols, Index entries, std::uint64_t seed);

}  // namespace polyak::bench
