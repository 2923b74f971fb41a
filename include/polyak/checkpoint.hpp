#pragma once

/// \file checkpoint.hpp
/// A run that survives whatever stops it: snapshots in a file that is whole or
/// not there, checked before it is believed, and refused for another problem.
///
///   CheckpointFile file("run.ckpt", fingerprint(problem, options));
///   const auto saved = file.load();   // nothing there: start at the beginning
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

/// All that the bits of a run depend on, each part by its name: content of A
/// (as A·v for a fixed random v: one read) and b, ridge, bounds, start,
/// options, vector instructions, version. Limits and threads are no part.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;
Fingerprint fingerprint(const Problem& problem, const SolveOptions& options);

/// 32 hexadecimal digits that stand for these numbers.
std::string digest(std::span<const double> numbers);

class CheckpointFile {
 public:
  CheckpointFile(std::string path, Fingerprint fingerprint);

  const std::string& path() const { return path_; }
  /// Where the one before the last is kept.
  std::string previous() const { return path_ + ".previous"; }

  /// Error usage where a file that is no checkpoint would be replaced: by the file itself,
  /// by previous(), or by the one that is written beside it. Empty files may be.
  void check_place() const;

  /// Writes beside, flushes, keeps what was there as previous(), renames.
  /// Error io leaves what was there.
  void save(const Snapshot& snapshot) const;

  struct Loaded {
    Snapshot snapshot;
    std::string path;
    std::vector<std::string> warnings;  ///< why a newer file was passed over
  };
  /// The newest that is whole and of this fingerprint, the last or the one
  /// before. Nothing when neither exists; Error bad_data, naming what is wrong
  /// or what differs, when none can be used.
  std::optional<Loaded> load() const;

 private:
  Snapshot read(const std::string& path) const;
  std::string unfinished() const { return path_ + ".tmp"; }

  std::string path_;
  Fingerprint fingerprint_;
};

}  // namespace polyak
#pragma GCC visibility pop
