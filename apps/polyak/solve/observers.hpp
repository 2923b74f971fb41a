#pragma once

// The observers of a run, each passing every call on to the next one:
// RunRecord -> Checkpointing -> Progress.

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "polyak/checkpoint.hpp"
#include "polyak/option_table.hpp"
#include "polyak/solve.hpp"

namespace polyak::cli {

/// Shows the progress of a solve: a line that is rewritten on a terminal, otherwise a
/// line every few seconds; in JSON an event per measurement.
class Progress final : public Observer {
 public:
  Progress(Messages& messages, Index rows);

  void measured(const Measurement& measurement) override;
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override;
  /// Within an iteration: `where` is added to the line.
  void within(const std::string& where);

 private:
  std::string described(Index iteration, Index row_products) const;
  void show(const std::string& text);

  Messages& messages_;
  double rows_;
  double started_s_;
  double next_s_;           // time of the next line
  std::string last_shown_;  // without the time
  Measurement last_;
};

struct CheckpointOptions {
  std::optional<std::string> checkpoint, resume;
  std::string every = "60s";
};
const std::vector<OptionRecord<CheckpointOptions>>& checkpoint_options();
/// Error usage or io for contradicting options and for a file that cannot be written.
void check_checkpoint(const CheckpointOptions& options);

/// Saves the run for --checkpoint, --checkpoint-every and --resume.
class Checkpointing final : public Observer {
 public:
  /// `fingerprint` is called only if one of the options is given.
  Checkpointing(const CheckpointOptions& options, const std::function<Fingerprint()>& fingerprint,
                Observer& next, Messages& messages);

  /// The saved run to resume from; null to start at the beginning.
  const Snapshot* resumed() const { return loaded_ ? &loaded_->snapshot : nullptr; }
  /// The Error of the last attempt to save; a warning has reported it already.
  const std::optional<Error>& failure() const { return failure_; }
  /// The exit code of a run that ended with this status.
  int exit_code(Status status) const;
  /// The exit code of a run that was ended in the middle of a step, when it cannot be
  /// saved: an earlier checkpoint of it counts as saved.
  int exit_code_in_step(Status status) const;

  void measured(const Measurement& m) override { next_.measured(m); }
  void measured_x(ConstView x) override { next_.measured_x(x); }
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override { return next_.stop_requested(); }
  bool snapshot_wanted(bool ending) override;
  void snapshot(Snapshot&& snapshot) override;

 private:
  void load(const std::string& path, const Fingerprint& fingerprint, bool must_exist);

  Observer& next_;
  Messages& messages_;
  std::optional<CheckpointFile> file_;
  std::optional<double> every_s_;
  std::optional<Index> every_iterations_;
  std::optional<CheckpointFile::Loaded> loaded_;
  Index iteration_ = 0, saved_iteration_ = 0;
  double saved_s_ = 0.0;
  bool ending_ = false, saved_ending_ = false;
  bool saved_ = false;  // the file holds a state of this run
  std::optional<Error> failure_;
};

/// Which measured x a RunRecord keeps.
enum class KeptIterate { least_residual, latest };

/// Keeps the history and one measured x of a run, for the watchdog, which ends the
/// process while the solver is inside a step and cannot return a Report. Locks
/// `mutex` (Watchdog::mutex) in every call that changes data.
class RunRecord final : public Observer {
 public:
  RunRecord(Observer& next, std::mutex& mutex, KeptIterate which)
      : next_(next), mutex_(mutex), which_(which) {}

  /// The Report of a run that is ended in the middle of a step: reason, history, and
  /// the norms of the kept x. The caller holds the mutex.
  Report report(Status status, std::optional<double> limit_s) const;
  bool has_x() const { return !x_.empty(); }
  /// c × d
  const std::vector<double>& x() const { return x_; }

  void measured(const Measurement& m) override;
  void measured_x(ConstView x) override;
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override;
  bool snapshot_wanted(bool ending) override;
  void snapshot(Snapshot&& snapshot) override;

 private:
  void keep(Measurement line);

  Observer& next_;
  std::mutex& mutex_;
  KeptIterate which_;
  std::vector<Measurement> history_;
  std::size_t best_ = 0;            // index in history_ of x_
  std::vector<double> x_, next_x_;  // next_x_: its measurement comes next
  Measurement previous_;            // last line of the methods that auto ran before
};

/// The same Report with sizes, options and x; x is the start if no x was measured.
Report report_of(const RunRecord& record, const Problem& problem, const SolveOptions& options,
                 Status status);

}  // namespace polyak::cli
