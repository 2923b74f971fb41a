#pragma once

// The two stages of auto that work on a subset of the rows.
//
// subset-direct: a subset is solved directly and checked on other rows. Where the subset
// determines x and the data are consistent, that solves the problem; otherwise it gives the
// conditioning, the size of the noise and a lower bound on the rank of A.
//
// subset-cg: cg on a subset.

#include <algorithm>
#include <optional>

#include "core/thread_team.hpp"
#include "method/record.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"
#include "solve/auto/runs.hpp"

namespace polyak::internal {

struct SubsetTrial {
  SubsetFacts facts;
  Array x;  ///< d × c: solves the rows of the subset
  Index rows_checked = 0;
  std::vector<Index> rows_read;  ///< solved or checked, ascending
  Index rows_failed = 0;         ///< of those checked: |r_i| > tol(Σ_j|a_ij||x_j| + |b_i|)
  double rounding = 0.0;         ///< upper bound of the part of relative_residual due to rounding

  /// Every row that was checked fits, and all of them together fit b so well that x is accurate
  /// too: an x that noise has blown up along a small singular vector passes the first test alone.
  bool consistent(double tol) const {
    return facts.full_rank && rows_failed == 0 &&
           facts.relative_residual <=
               std::max(candidate::tol_for_x(tol, facts.condition), rounding);
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

/// Observes cg on a subset. Its measurements, which are not those of all rows, are not passed
/// on; and the run ends where the rows of the subset turn out to be inconsistent.
class SubsetWatch final : public Observer {
 public:
  SubsetWatch(Runs& runs, Index cols);

  void measured(const Measurement& m) override;
  void progress(Index k, Index rows) override { runs_.progress(k, rows); }
  bool stop_requested() override {
    ended_ = inconsistent_;  // not by the measurement that follows a stop by the user
    return ended_ || runs_.stop_requested();
  }
  bool snapshot_wanted(bool ending) override { return !ended_ && runs_.snapshot_wanted(ending); }
  void snapshot(Snapshot&& snapshot) override { runs_.snapshot(std::move(snapshot)); }

  /// Writes the reason into the report where this observer has ended the run.
  void explain(Report& report) const;

 private:
  Runs& runs_;
  double noise_gradient_;
  bool inconsistent_ = false, ended_ = false;
};

/// Iterations until the gradient of all rows has fallen by tol, extrapolated from its fall on
/// the subset. Nothing where it was not measured twice.
std::optional<double> expected_iterations(const Report& subset, double tol);

}  // namespace polyak::internal
