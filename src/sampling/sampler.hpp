#pragma once

// Rows drawn with replacement, by exact integer probabilities.
//
// Weights become integers that sum to exactly 2^62, so a draw is a shift of 64
// random bits and p_j = w_j/2^62 is exactly the probability that the estimator
// divides by. A row with any weight at all keeps at least one part in 2^62;
// a row of weight zero is never drawn. The row drawn depends on
// (seed, stream, iteration, draw) only.

#include <cstdint>
#include <span>

#include "core/random.hpp"
#include "polyak/types.hpp"
#include "sampling/row_table.hpp"

namespace polyak {

class Sampler {
 public:
  /// Probabilities in proportion to `weights` (finite, ≥ 0, not all zero).
  explicit Sampler(std::span<const double> weights);

  Index rows() const { return table_.rows(); }
  /// The exact probability of row j.
  double probability(Index j) const { return table_.probability(j); }
  /// Draws t = 0 .. rows.size()-1 of iteration k, sorted by row. `scratch` is
  /// as long as `rows`. For batch after batch there is BatchDrawer.
  void draw_batch(const Random& random, Index k, std::span<Index> rows,
                  std::span<Index> scratch) const;
  /// Draw 0 of iterations first, first+1, …: one row each, in that order.
  void draw_sequence(const Random& random, Index first, std::span<Index> rows) const;
  /// The row whose part of [0, 2^62) holds `bits`/4.
  Index find(std::uint64_t bits) const { return table_.find(bits); }
  const RowTable& table() const { return table_; }

 private:
  RowTable table_;
};

}  // namespace polyak
