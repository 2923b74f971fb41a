#pragma once

// The stage subset-cg of auto: cg on a subset of the rows.

#include <optional>

#include "solve/auto/runs.hpp"

namespace polyak {

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

}  // namespace polyak
