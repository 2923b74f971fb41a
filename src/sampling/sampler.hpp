#pragma once

// Rows drawn with replacement, by exact integer probabilities.
//
// Weights become integers that sum to exactly 2^62, so a draw is a shift of 64
// random bits and p_j = w_j/2^62 is exactly the probability that the estimator
// divides by. A row with any weight at all keeps at least one part in 2^62;
// a row of weight zero is never drawn. The row drawn depends on
// (seed, stream, iteration, draw) only.
//
// Where ranks share the rows, each keeps the points of its own: whole numbers add
// up to the same for any number of ranks, so that all draw what one would, each
// its part, from a table as large as that part.

#include <cstdint>
#include <optional>
#include <span>

#include "core/random.hpp"
#include "polyak/types.hpp"
#include "sampling/draw_exchange.hpp"
#include "sampling/integer_starts.hpp"
#include "sampling/row_table.hpp"

namespace polyak {

class Sampler {
 public:
  /// Probabilities in proportion to `weights` (finite, ≥ 0, not all zero).
  explicit Sampler(std::span<const double> weights);
  /// `weights` are those of the rows from `first` on, which this rank holds. Ranks
  /// call this together, in the order of their rows.
  Sampler(std::span<const double> weights, Index first, Communicator& ranks);

  /// Those held here, and the first of them.
  Index rows() const { return table_.rows(); }
  Index first() const { return table_.first(); }
  /// Whether this rank alone has all the points, and which part of them it has.
  bool whole() const { return table_.points() == 1ull << 62; }
  double share() const { return static_cast<double>(table_.points()) * 0x1p-62; }
  std::uint64_t first_point() const { return first_point_; }
  /// How to tell ranks what they have drawn for each other; null where they cannot.
  const DrawExchange* exchange() const { return exchange_ ? &*exchange_ : nullptr; }
  /// The exact probability of row j, held here.
  double probability(Index j) const { return table_.probability(j); }
  /// Draws t = 0 .. rows.size()-1 of iteration k, sorted by row. `scratch` is
  /// as long as `rows`. For batch after batch, and for ranks, there is BatchDrawer.
  void draw_batch(const Random& random, Index k, std::span<Index> rows,
                  std::span<Index> scratch) const;
  /// Draw 0 of iterations first, first+1, …: one row each, in that order.
  void draw_sequence(const Random& random, Index first, std::span<Index> rows) const;
  /// The row whose part of [0, 2^62) holds `bits`/4.
  Index find(std::uint64_t bits) const { return table_.find(bits); }
  const RowTable& table() const { return table_; }

 private:
  Sampler(IntegerStarts starts, Index first);

  std::uint64_t first_point_;
  RowTable table_;
  std::optional<DrawExchange> exchange_;
};

}  // namespace polyak
