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
#include <vector>

#include "core/random.hpp"
#include "polyak/types.hpp"

namespace polyak {

class Sampler {
 public:
  /// Probabilities in proportion to `weights` (finite, ≥ 0, not all zero).
  explicit Sampler(std::span<const double> weights);

  Index rows() const { return static_cast<Index>(start_.size()) - 1; }
  /// The exact probability of row j.
  double probability(Index j) const {
    return static_cast<double>(start_[to_size(j) + 1] - start_[to_size(j)]) * 0x1p-62;
  }
  /// Draws t = 0 .. rows.size()-1 of iteration k, sorted by row. `scratch` is
  /// as long as `rows`.
  void draw_batch(const Random& random, Index k, std::span<Index> rows,
                  std::span<Index> scratch) const;
  /// Draw 0 of iterations first, first+1, …: one row each, in that order.
  void draw_sequence(const Random& random, Index first, std::span<Index> rows) const;
  /// The row whose part of [0, 2^62) holds `bits`/4.
  Index find(std::uint64_t bits) const;

 private:
  std::vector<std::uint64_t> start_;  // prefix sums of the integer weights; start_[n] = 2^62
  std::vector<Index> guide_;          // guide_[c]: the row that holds the first point of cell c
  int shift_ = 0;                     // a point's cell is point >> shift_
};

}  // namespace polyak
