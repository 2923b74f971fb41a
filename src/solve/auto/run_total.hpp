#pragma once

// The runs of auto added up: one report of all of them, and what remains of the user's limits.

#include "polyak/solve.hpp"
#include "solve/auto/runs.hpp"

namespace polyak {

class RunTotal {
 public:
  RunTotal(const Problem& problem, const SolveOptions& options, const Runs& runs)
      : problem_(problem), options_(options), runs_(runs) {}

  /// Counts, seconds and stages of all runs; everything else is that of the last one.
  Report& report() { return total_; }
  const Report& report() const { return total_; }
  const std::vector<Measurement>& history() const { return history_; }

  void add(Report report);
  /// The last run ended by a limit of the user, even if a part of a pass is left.
  void end_by_user_limit();
  /// The time limit has ended a run: some time may be left, but less than a measurement takes.
  void check_time_limit(const Report& report, const SolveOptions& options);

  bool tolerance_met() const {
    return total_.backward_error && *total_.backward_error <= options_.tol;
  }
  /// A limit of the user is reached; the same on all ranks, whatever their clocks say.
  bool limit_reached() const;
  /// `options` with what remains of the user's limits.
  SolveOptions remaining(SolveOptions options) const;
  double remaining_seconds(double time_limit_s) const;

  /// The report of all runs.
  Report finish();

 private:
  double passes() const;
  double all_seconds() const;
  double own_seconds() const;
  void check_clock();
  void name_limit();

  const Problem& problem_;
  const SolveOptions& options_;
  const Runs& runs_;
  Report total_;
  std::vector<Measurement> history_;
  bool late_ = false;           // beyond the time limit
  bool ended_by_user_ = false;  // see end_by_user_limit
};

}  // namespace polyak
