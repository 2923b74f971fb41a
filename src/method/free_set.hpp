#pragma once

// Which unknowns of min ‖Mx − s‖², lower ≤ x ≤ upper, are free: the two steps of
// bounded_least_squares.hpp. The columns of M have norms near 1, or are zero.

#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

struct Limits {
  std::span<const double> lower, upper;  ///< d numbers each, infinite where there is none
};

/// x within the limits; where an unknown is free, strictly between them.
struct FreeSet {
  std::vector<double> x;
  std::vector<char> free;
};

/// By block principal pivoting on H = MᵀM and q = Mᵀs: all free at first, then all that break
/// a condition change sides, until none does, or their number no longer falls. `movable`: the
/// unknowns that may be free at all. False, and nothing found, where H is singular to rounding.
bool guess_free_set(ConstView H, std::span<const double> q, Limits limits,
                    std::span<const char> movable, FreeSet& set);

struct SettledSet {
  bool full_rank = true;  ///< of M, but for columns of zeros
  /// Where it is not: the unknowns that can move without loss, because they are free or
  /// have no gradient that holds them.
  std::vector<Index> without_gradient;
};

/// From any set, by QR of the free columns, until the conditions hold to rounding.
/// `norms` are those of the columns.
SettledSet settle_free_set(ConstView M, std::span<const double> s, Limits limits,
                           std::span<const double> norms, std::span<const char> movable,
                           FreeSet& set);

/// Of the norm of a column: what rounding of QR leaves of it at most where it depends on
/// others.
double dependent_share(ConstView M);

}  // namespace polyak
