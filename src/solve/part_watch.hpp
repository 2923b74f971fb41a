#pragma once

#include <optional>

#include "solve/runs.hpp"

namespace polyak {

/// Watches cg on some of the rows: its figures are of no concern to anybody else, and it
/// ends where those rows turn out to contradict each other.
class PartWatch final : public Observer {
 public:
  PartWatch(Runs& runs, Index cols);

  void measured(const Measurement& m) override;
  void progress(Index k, Index rows) override { runs_.progress(k, rows); }
  bool stop_requested() override {
    ended_ = contradict_;  // not by what is measured because somebody else has ended it
    return ended_ || runs_.stop_requested();
  }
  bool snapshot_wanted(bool ending) override { return !ended_ && runs_.snapshot_wanted(ending); }
  void snapshot(Snapshot&& snapshot) override { runs_.snapshot(std::move(snapshot)); }

  /// Says in the report what was seen here.
  void explain(Report& report) const;

 private:
  Runs& runs_;
  double enough_;
  bool contradict_ = false, ended_ = false;
};

/// By how the gradient fell on some rows: iterations until it has fallen by tol on all.
/// Nothing where it was not measured twice.
std::optional<double> expected_steps(const Report& part, double tol);

}  // namespace polyak
