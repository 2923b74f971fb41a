#pragma once

// The runs of auto as one: saved and resumed together, counted together, and limited together.

#include <utility>

#include "polyak/solve.hpp"

namespace polyak {

/// A sequence of runs with one observer, saved and resumed as one. A resumed sequence makes
/// the same choices again: the reports of runs that had ended are taken from the snapshot, and
/// the run that was saved continues.
class Runs final : public Observer {
 public:
  Runs(Observer* observer, const Snapshot* from)
      : observer_(observer ? *observer : none_), from_(from) {}

  /// The report of the next run, if it had ended before.
  const Report* known() {
    const std::size_t i = finished_.size();
    if (from_ == nullptr || i >= from_->finished.size()) return nullptr;
    earlier_seconds_ += from_->finished[i].seconds.total;
    finished_.push_back(from_->finished[i]);
    return &finished_.back();
  }
  /// The saved state of the next run, if there is one; the second call returns none.
  const RunState* from() {
    const Snapshot* from = std::exchange(from_, nullptr);
    if (from == nullptr) return nullptr;
    earlier_seconds_ += from->run.solve_seconds + from->run.measure_seconds;
    return &from->run;
  }
  /// By which methods are chosen: those of the process that made the snapshot, if there is one,
  /// because another measurement could lead to other choices.
  std::optional<DiskRates> rates(const std::optional<DiskRates>& measured) {
    return rates_ = from_ ? from_->disk : measured;
  }
  void finished(const Report& report) { finished_.push_back(report); }
  /// The last run was interrupted: its snapshot is kept, and runs that follow save none.
  void stop_saving() { saving_ = false; }
  /// Seconds of the process that saved the snapshot: not part of this one's time limit.
  double earlier_seconds() const { return earlier_seconds_; }

  void measured(const Measurement& m) override { observer_.measured(m); }
  void measured_x(ConstView x) override { observer_.measured_x(x); }
  void progress(Index k, Index rows) override { observer_.progress(k, rows); }
  bool stop_requested() override { return stop_ = stop_ || observer_.stop_requested(); }
  bool snapshot_wanted(bool ending) override {
    return saving_ && observer_.snapshot_wanted(ending);
  }
  void snapshot(Snapshot&& snapshot) override {
    snapshot.finished = finished_;
    snapshot.disk = rates_;
    observer_.snapshot(std::move(snapshot));
  }

 private:
  Observer none_;
  Observer& observer_;
  const Snapshot* from_;
  std::vector<Report> finished_;
  std::optional<DiskRates> rates_;
  double earlier_seconds_ = 0.0;
  bool saving_ = true;
  bool stop_ = false;  // once requested, for all runs that follow
};

/// The runs added up: one report of all of them, and what remains of the user's limits.
class RunTotal {
 public:
  RunTotal(const Problem& problem, const SolveOptions& options, const Runs& runs)
      : problem_(problem), options_(options), runs_(runs) {}

  /// Counts, seconds and stages of all runs; everything else is that of the last one.
  Report& report() { return total_; }
  const Report& report() const { return total_; }
  const std::vector<Measurement>& history() const { return history_; }

  void add(Report report);
  /// The last run ended by a limit of the user, although a part of a pass is left.
  void end_by_user_limit();
  /// The time limit has ended a run: some time may be left, but less than a measurement takes.
  void check_time_limit(const Report& report, const SolveOptions& options);

  bool tolerance_met() const {
    return total_.backward_error && *total_.backward_error <= options_.tol;
  }
  /// A limit of the user is reached; the same on all ranks, although their clocks differ.
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
