#pragma once

/// \file checkpoint.hpp
/// Snapshots of a run in a file, so that the run can be resumed after an
/// interruption. The file is replaced atomically, has a checksum, and is refused
/// for another problem.
///
///   CheckpointFile file("run.ckpt", fingerprint(problem, options));
///   const auto saved = file.load();   // empty where there is no file: start from x0
///   Report report = solve(problem, options, &observer, saved ? &saved->snapshot : nullptr);
/// with an observer whose snapshot() calls file.save().

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "polyak/problem.hpp"
#include "polyak/snapshot.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Everything that the bits of a run depend on, as (name, value) pairs: content of A
/// (as A·v for a fixed random v: one read of A) and b, ridge, bounds, start vector,
/// options, vector instructions, version. Limits and threads are not included.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;
Fingerprint fingerprint(const Problem& problem, const SolveOptions& options);

/// A hash of these numbers, as 32 hexadecimal digits.
std::string digest(std::span<const double> numbers);

/// A checkpoint file and its predecessor, both of one fingerprint.
class CheckpointFile {
 public:
  CheckpointFile(std::string path, Fingerprint fingerprint);

  const std::string& path() const { return path_; }
  /// Path of the checkpoint before the last one.
  std::string previous() const { return path_ + ".previous"; }

  /// Error usage where a file that is not a checkpoint would be replaced: at path(), at
  /// previous() or at the temporary file. Empty files may be replaced.
  void check_place() const;

  /// Writes a temporary file, flushes it, renames path() to previous() and the temporary
  /// file to path(). After an Error io the earlier files are unchanged.
  void save(const Snapshot& snapshot) const;

  struct Loaded {
    Snapshot snapshot;
    std::string path;
    std::vector<std::string> warnings;  ///< why a newer file was not used
  };
  /// The newest valid checkpoint with this fingerprint: path() or previous(). Empty when
  /// neither file exists. Error bad_data, naming the fault or the difference, when files
  /// exist and none can be used.
  std::optional<Loaded> load() const;

 private:
  Snapshot read(const std::string& path) const;
  std::string unfinished() const { return path_ + ".tmp"; }

  std::string path_;
  Fingerprint fingerprint_;
};

}  // namespace polyak
#pragma GCC visibility pop
