#pragma once

// The first look of the automatic choice: some rows are solved directly, some
// others check the answer. Consistent data are solved by that alone; of any
// other it tells the rank, the conditioning and the size of the noise.

#include <algorithm>
#include <optional>

#include "core/thread_team.hpp"
#include "polyak/problem.hpp"

namespace polyak {

struct SubsetTrial {
  Array x;  ///< d × c: solves the rows that were taken
  Index rank = 0;
  double condition = 0.0;  ///< of the rows taken, σ_1/σ_rank
  Index rows_solved = 0, rows_checked = 0;
  std::vector<Index> rows_read;  ///< both, ascending
  Index rows_failed = 0;  ///< of those checked: |r_i| > tol(‖a_i‖‖x‖ + |b_i|)
  double relative_residual = 0.0;  ///< ‖r‖/‖b‖ over the rows checked
  double rounding = 0.0;           ///< what rounding alone may leave of it

  /// Every row that was checked fits, and they together fit b: an x that noise
  /// has blown up along a small singular vector passes the first test alone.
  bool consistent(double tol) const {
    return rows_failed == 0 && relative_residual <= std::max(tol, rounding);
  }
  /// With this confidence …
  static constexpr double doubt = 1e-6;
  /// … at most this share of all rows does not meet the tolerance.
  double failing_share() const;
};

/// Nothing where those rows do not hold finite numbers.
std::optional<SubsetTrial> try_subset(const Problem& problem, Index rows, double tol,
                                      std::uint64_t seed, ThreadTeam& team);

}  // namespace polyak
