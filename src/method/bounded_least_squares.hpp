#pragma once

// min ‖Mx − s‖² with lower ≤ x ≤ upper, for an M small enough to factor: exactly, to
// the rounding of QR. One M serves several right-hand sides.
//
// 1. Which unknowns are free is guessed by block principal pivoting on MᵀM (Kim and
//    Park 2011): all that break a condition change sides at once.
// 2. From there QR of the free columns decides, one column at a time (Lawson and
//    Hanson's NNLS, Stark and Parker's BVLS for two bounds): the objective falls with
//    every column that joins, so this ends; and a column that depends on the free ones
//    has no gradient left and never joins, so M need not have full rank.
//
// Columns are scaled by powers of two to norms near 1 first: every decision is the same
// whatever units they have.

#include <optional>
#include <span>
#include <vector>

#include "linalg/buffer.hpp"
#include "method/free_set.hpp"

namespace polyak {

class BoundedLeastSquares {
 public:
  /// M is m × d; a scaled copy is kept.
  explicit BoundedLeastSquares(ConstView M);

  /// x starts within the limits and ends as a minimiser; where there are several, at the
  /// one nearest to the start, if that is reached without leaving the limits.
  void solve(std::span<const double> s, Limits limits, std::span<double> x);

  /// Numerical rank of M, once something was solved.
  std::optional<Index> rank() const { return rank_; }

 private:
  void equilibrate(ConstView M);
  const Buffer& gram();
  void guess(std::span<const double> s, Limits limits, std::span<const char> movable, FreeSet& set);
  void nearest(const std::vector<Index>& Z, Limits limits, std::span<const double> start,
               std::span<double> x) const;

  Buffer m_;                    // M·2^−e
  Buffer gram_;                 // MᵀM of it; empty until it is asked for
  std::vector<int> exponents_;  // e
  std::vector<double> norms_;   // of the columns of m_
  std::optional<Index> rank_;
};

}  // namespace polyak
