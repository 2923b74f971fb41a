#pragma once

// --checkpoint, --checkpoint-every and --resume: an observer that saves.

#include <functional>
#include <optional>
#include <string>

#include "messages.hpp"
#include "polyak/checkpoint.hpp"
#include "polyak/option_table.hpp"
#include "polyak/solve.hpp"

namespace polyak::cli {

struct CheckpointOptions {
  std::optional<std::string> checkpoint, resume;
  std::string every = "60s";
};
const std::vector<OptionRecord<CheckpointOptions>>& checkpoint_options();
/// Error usage or io when they contradict each other or nothing can be written.
void check_checkpoint(const CheckpointOptions& options);

class Checkpointing final : public Observer {
 public:
  /// Passes everything on to `inner`, and saves where asked to; the fingerprint
  /// is taken only then.
  Checkpointing(const CheckpointOptions& options, const std::function<Fingerprint()>& fingerprint,
                Observer& inner, Messages& messages);

  /// What to go on from; null starts at the beginning.
  const Snapshot* start() const { return loaded_ ? &loaded_->snapshot : nullptr; }
  /// The last attempt to save failed; told once as a warning already.
  const std::optional<Error>& failure() const { return failure_; }
  /// Of a run that ended so.
  int exit_code(Status status) const;
  /// Of one that is ended in the middle of a step, and cannot be saved as it is: what was saved
  /// of it before will do.
  int code_without_end(Status status) const;

  void measured(const Measurement& m) override { inner_.measured(m); }
  void measured_x(ConstView x) override { inner_.measured_x(x); }
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override { return inner_.stop_requested(); }
  bool snapshot_wanted(bool ending) override;
  void snapshot(Snapshot&& snapshot) override;

 private:
  void load(const std::string& path, const Fingerprint& fingerprint, bool must_exist);

  Observer& inner_;
  Messages& messages_;
  std::optional<CheckpointFile> file_;
  std::optional<double> every_s_;
  std::optional<Index> every_iterations_;
  std::optional<CheckpointFile::Loaded> loaded_;
  Index iteration_ = 0, saved_iteration_ = 0;
  double saved_s_ = 0.0;
  bool ending_ = false, saved_ending_ = false;
  bool saved_ = false;  // something of this run stands in the file
  std::optional<Error> failure_;
};

}  // namespace polyak::cli
