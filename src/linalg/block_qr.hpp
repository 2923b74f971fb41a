#pragma once

// The R factor of rows that are read once and arrive in numbered blocks, from several threads.
//
// Block k goes to lane k mod L of group k div (L·C): a lane takes C blocks, one after the other,
// into a triangle by Householder reflections (tsqr.hpp). The L triangles of a group are merged
// pairwise, and those of groups by a binary counter: two factors of 2^i groups each become one of
// 2^(i+1). What is added to what depends on the numbers of the blocks only, so that the bits do not
// depend on the number of threads, and memory grows with the logarithm of the number of rows.
//
// Rounding. R is the exact factor of rows M + E with ‖e_j‖ ≤ eta·‖m_j‖ for every column j. Applying
// p reflections of length m changes a column of norm ν by at most about p·m·u·ν (Higham, Accuracy
// and Stability of Numerical Algorithms, theorem 19.4). A block of 512 rows has reflections of 513
// numbers, two triangles those of up to p + 1. Errors of parts of the rows are orthogonal to
// each other and add as squares, as the norms of the parts do; only those of a chain add up:
//   eta = 8pu·(512-blocks of a lane·(513 + 16) + merges on the longest way·(p + 17)).
// The factor 8 covers the constant of the theorem, for blocked reflections as well.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "linalg/buffer.hpp"
#include "linalg/tsqr.hpp"

namespace polyak {

/// How rows are divided: by the number of columns alone.
struct BlockShape {
  Index rows = 0;         ///< of a block
  Index lanes = 0;        ///< L
  Index lane_blocks = 0;  ///< C

  static BlockShape of(Index cols);
  Index group() const { return lanes * lane_blocks; }
};

class BlockQr {
 public:
  /// Beside the rows every block has `sums` numbers, which are added in the same order.
  BlockQr(Index cols, Index sums);
  ~BlockQr();
  BlockQr(const BlockQr&) = delete;
  BlockQr& operator=(const BlockQr&) = delete;

  const BlockShape& shape() const { return shape_; }

  /// Block `number` (0, 1, 2, …, each once), at most shape().rows rows. Called from any thread;
  /// waits for the block before it in its lane, which must be in another thread or done.
  void add(Index number, ConstView rows, std::span<const double> sums);
  /// Ends all waiting: the result is not wanted any more.
  void abandon();

  struct Result {
    Buffer r;  ///< cols × cols, upper triangular
    std::vector<double> sums;
    double rounding = 0.0;  ///< eta
  };
  /// After the last block. The object is empty then.
  Result finish();

  /// Bytes that it takes for this many rows, with `threads` blocks in progress.
  static double bytes(Index cols, double rows, int threads);

 private:
  // The factor of some rows.
  struct Node {
    std::unique_ptr<Tsqr> factor;
    std::vector<double> sums;
    double rounding = 0.0;
  };
  struct Lane {
    Node node;
    Index taken = 0;  // blocks
  };
  struct Group {
    std::vector<Lane> lanes;
    Index taken = 0;
  };

  std::shared_ptr<Group> claim(Index number, Lane*& lane);
  void take(Node& node, ConstView rows, std::span<const double> sums) const;
  void join(Node& left, Node& right) const;
  Node joined(Group& group) const;
  void count(Index group, Node node);
  void count_next(Node node);

  Index cols_, sums_;
  BlockShape shape_;
  std::mutex mutex_;  // of the groups and of abandoned_
  std::condition_variable changed_;
  std::map<Index, std::shared_ptr<Group>> groups_;
  bool abandoned_ = false;
  std::mutex counter_mutex_;
  std::map<Index, Node> early_;  // groups that are complete before one of a lower number
  Index next_group_ = 0;
  std::vector<std::optional<Node>> counter_;  // of 2^i groups each
};

}  // namespace polyak
