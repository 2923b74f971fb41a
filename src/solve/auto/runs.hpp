#pragma once

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
  void finished(const Report& report) { finished_.push_back(report); }
  /// The last run was cut off: its snapshot is kept, and runs that follow save none.
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
    observer_.snapshot(std::move(snapshot));
  }

 private:
  Observer none_;
  Observer& observer_;
  const Snapshot* from_;
  std::vector<Report> finished_;
  double earlier_seconds_ = 0.0;
  bool saving_ = true;
  bool stop_ = false;  // once requested, for all runs that follow
};

}  // namespace polyak
