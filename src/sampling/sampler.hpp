#pragma once

// Rows drawn with replacement, with exact integer probabilities.
//
// Weights become integers w_j that sum to exactly 2^62, so a draw is a shift of 64 random
// bits, and p_j = w_j/2^62 is exactly the probability in the estimator. A row of positive
// weight has w_j of at least 1; a row of weight zero is never drawn. The drawn row depends on
// (seed, stream, iteration, draw) only.
//
// If rows are distributed over ranks, each rank has the integers of its own rows, in a table
// of that size. Sums of integers do not depend on the number of ranks, so that all ranks
// together draw the rows that one process would draw.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "polyak/communicator.hpp"
#include "polyak/types.hpp"
#include "sampling/row_table.hpp"

namespace polyak {

/// Draws of a batch computed by several ranks: each rank computes a part of the draws and
/// sends every draw to the rank that stores the drawn row. The set of draws is that of a
/// single process; only their order differs.
class DrawExchange {
 public:
  /// Collective. `ranks` must outlive this.
  DrawExchange(Communicator& ranks, std::uint64_t first_point);

  Index ranks() const { return ranks_.size(); }
  Index rank() const { return ranks_.rank(); }
  /// True if sending draws costs less than computing all of them on every rank.
  bool pays(Index batch) const { return ranks() >= 4 && batch >= 1024 * ranks(); }

  /// Computes draws first .. last-1 of iteration k; each goes to the list of the rank that
  /// stores its row, lists[0 .. ranks-1].
  void draw_by_rank(const Random& random, std::uint64_t k, Index first, Index last,
                    std::vector<std::uint64_t>* lists) const;
  /// All-to-all of these lists.
  void send(std::span<const std::vector<std::uint64_t>> lists,
            std::vector<std::uint64_t>& received) const {
    ranks_.exchange(lists, received);
  }

 private:
  static constexpr int guide_bits = 12;

  Communicator& ranks_;
  std::vector<std::uint64_t> end_;    // of each rank: the first point after those of its rows
  std::vector<std::uint32_t> guide_;  // by the top bits of a draw: the lowest possible rank
};

class Sampler {
 public:
  /// Probabilities in proportion to `weights` (finite, ≥ 0, not all zero).
  explicit Sampler(std::span<const double> weights);
  /// `weights` are those of the rows that this rank stores, from `first` on. Collective; the
  /// order of ranks is that of their rows.
  Sampler(std::span<const double> weights, Index first, Communicator& ranks);

  /// All of `rows` rows with the same probability; nothing is stored for a row. The draws of the
  /// first constructor for `rows` ones.
  static Sampler even(Index rows) { return Sampler(RowTable::even(rows)); }
  /// The same for those of the rows that take part; zero rows do not.
  static Sampler even(std::shared_ptr<const UsedRows> used) {
    return Sampler(RowTable::even(std::move(used)));
  }

  /// The number of rows stored here, and the first of them.
  Index rows() const { return table_.rows(); }
  Index first() const { return table_.first(); }
  /// True if all 2^62 points belong to rows stored here; the share of those that do.
  bool has_all_points() const { return table_.points() == 1ull << 62; }
  double point_share() const { return static_cast<double>(table_.points()) * 0x1p-62; }
  std::uint64_t first_point() const { return first_point_; }
  /// Null with one rank.
  const DrawExchange* exchange() const { return exchange_ ? &*exchange_ : nullptr; }
  /// The exact probability of row j, stored here.
  double probability(Index j) const { return table_.probability(j); }
  /// Draw 0 of iterations first, first+1, …: one row each, in that order. For batches see
  /// BatchDrawer.
  void draw_sequence(const Random& random, Index first, std::span<Index> rows) const;
  /// The row whose part of [0, 2^62) contains `bits`/4.
  Index find(std::uint64_t bits) const { return table_.find(bits); }
  const RowTable& table() const { return table_; }

 private:
  Sampler(IntegerStarts starts, Index first);
  explicit Sampler(RowTable table) : first_point_(0), table_(std::move(table)) {}

  std::uint64_t first_point_;
  RowTable table_;
  std::optional<DrawExchange> exchange_;
};

}  // namespace polyak
