#pragma once

// The first look of the automatic choice: some rows are solved directly, some
// others check the answer. Consistent data are solved by that alone, where these rows
// determine x; of any other it tells the conditioning and the size of the noise. Of
// the rank it tells no more than that it is at least so large.

#include <algorithm>
#include <optional>

#include "core/thread_team.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"

namespace polyak {

struct SubsetTrial {
  Array x;  ///< d × c: solves the rows that were taken
  Index rank = 0;          ///< of the rows taken
  bool full_rank = false;  ///< … and so of A: x is determined
  /// Columns depend on each other although each has many entries in these rows: they
  /// will in all rows. A column that hardly occurs in them tells nothing.
  bool dependent = false;
  double condition = 0.0;  ///< of the rows taken, columns scaled, σ_1/σ_rank
  /// Normal equations do not tell these rows from dependent ones: the condition is infinite.
  bool unresolved = false;
  Index rows_solved = 0, rows_checked = 0;
  std::vector<Index> rows_read;  ///< both, ascending
  Index rows_failed = 0;  ///< of those checked: |r_i| > tol(Σ_j|a_ij||x_j| + |b_i|)
  double relative_residual = 0.0;  ///< ‖r‖/‖b‖ over the rows checked
  double rounding = 0.0;           ///< what rounding alone may leave of it

  /// Every row that was checked fits, and they together fit b: an x that noise
  /// has blown up along a small singular vector passes the first test alone.
  bool consistent(double tol) const {
    return full_rank && rows_failed == 0 && relative_residual <= std::max(tol, rounding);
  }
  /// With this confidence …
  static constexpr double doubt = 1e-6;
  /// … at most this share of all rows does not meet the tolerance.
  double failing_share() const;
};

/// Nothing where those rows do not hold finite numbers, or none has a weight. Uses tol,
/// seed and column_scaling. The rows are solved by QR, or by normal equations.
std::optional<SubsetTrial> try_subset(const Problem& problem, Index rows,
                                      const SolveOptions& options, ThreadTeam& team,
                                      bool by_gram = false);

}  // namespace polyak
