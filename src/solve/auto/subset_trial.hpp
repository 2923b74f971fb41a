#pragma once

// The stage subset-direct of auto: a subset of the rows is solved directly and checked on
// others. Where the subset determines x and the data are consistent, that solves the problem;
// otherwise it shows the conditioning and the size of the noise. Of the rank of A it gives a
// lower bound.

#include <algorithm>
#include <optional>

#include "core/thread_team.hpp"
#include "method/record.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"

namespace polyak {

struct SubsetTrial {
  SubsetFacts facts;
  Array x;  ///< d × c: solves the rows of the subset
  Index rows_checked = 0;
  std::vector<Index> rows_read;  ///< solved or checked, ascending
  Index rows_failed = 0;         ///< of those checked: |r_i| > tol(Σ_j|a_ij||x_j| + |b_i|)
  double rounding = 0.0;         ///< upper bound of the part of relative_residual due to rounding

  /// Every row that was checked fits, and all of them together fit b: an x that noise has
  /// blown up along a small singular vector passes the first test alone.
  bool consistent(double tol) const {
    return facts.full_rank && rows_failed == 0 &&
           facts.relative_residual <= std::max(tol, rounding);
  }
  /// With confidence 1 − doubt …
  static constexpr double doubt = 1e-6;
  /// … at most this share of all rows does not meet the tolerance.
  double failing_share() const;
};

/// Nothing where these rows do not hold finite numbers, or none has a weight. Uses tol,
/// seed and column_scaling. The rows are solved by QR, or by normal equations.
std::optional<SubsetTrial> try_subset(const Problem& problem, Index rows,
                                      const SolveOptions& options, ThreadTeam& team,
                                      bool by_gram = false);

}  // namespace polyak
