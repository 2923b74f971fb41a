#pragma once

// min ‖Mx − s‖² with lower ≤ x ≤ upper, for an M small enough to factor: exactly, to
// the rounding of QR. One M serves several right-hand sides.
//
// 1. Which unknowns are free is guessed by block principal pivoting on MᵀM (Kim and
//    Park 2011): all unknowns that violate a condition change sides at once.
// 2. From there QR of the free columns decides, one column at a time (Lawson and
//    Hanson's NNLS, Stark and Parker's BVLS for two bounds): the objective falls with
//    every column that joins, so this ends; and a column that depends on the free ones
//    has no gradient left and never joins, so M need not have full rank.
//
// Columns are first scaled by powers of two to norms near 1, so that no decision depends on
// their units.

#include <optional>
#include <span>
#include <vector>

#include "linalg/buffer.hpp"
#include "linalg/factor.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

struct Limits {
  std::span<const double> lower, upper;  ///< d numbers each, infinite where there is none
};

/// x within the limits; where an unknown is free, strictly between them.
struct FreeSet {
  std::vector<double> x;
  std::vector<char> free;
};

/// By block principal pivoting on H = MᵀM and q = Mᵀs: all are free at first, then all that
/// violate a condition change sides, until none does, or their number no longer falls.
/// `movable`: the unknowns that may be free at all. False, and `set` is not valid, where H is
/// singular up to rounding.
bool guess_free_set(ConstView H, std::span<const double> q, Limits limits,
                    std::span<const char> movable, FreeSet& set);

struct SettledSet {
  bool full_rank = true;  ///< of M without columns of zeros
  /// Otherwise: the unknowns that can move without a larger residual, because they are free
  /// or have a zero gradient at their limit.
  std::vector<Index> without_gradient;
};

/// From any set, by QR of the free columns, until the conditions hold up to rounding.
/// `norms` are those of the columns.
SettledSet settle_free_set(ConstView M, std::span<const double> s, Limits limits,
                           std::span<const double> norms, std::span<const char> movable,
                           FreeSet& set);

/// A column depends on others where QR leaves no more of it than this part of its norm.
double dependent_share(ConstView M);

class BoundedLeastSquares {
 public:
  /// M is m × d; a scaled copy is kept.
  explicit BoundedLeastSquares(ConstView M);

  /// x starts within the limits and ends as a minimiser; where there are several, at the
  /// one nearest to the start, if that is reached without leaving the limits.
  void solve(std::span<const double> s, Limits limits, std::span<double> x);

  /// Numerical rank of M, once something was solved.
  std::optional<Index> rank() const { return rank_; }
  /// Where that is below the number of columns and M is not wide: the columns that depend on
  /// others.
  const std::vector<Dependence>& dependent() const { return dependent_; }

 private:
  void equilibrate(ConstView M);
  const Buffer& gram();
  void find_rank();
  void guess(std::span<const double> s, Limits limits, std::span<const char> movable, FreeSet& set);
  void nearest(const std::vector<Index>& Z, Limits limits, std::span<const double> start,
               std::span<double> x) const;

  Buffer m_;                    // M·2^−e
  Buffer gram_;                 // MᵀM of it; empty until gram() is called
  std::vector<int> exponents_;  // e
  std::vector<double> norms_;   // of the columns of m_
  std::optional<Index> rank_;
  std::vector<Dependence> dependent_;
};

}  // namespace polyak::internal
