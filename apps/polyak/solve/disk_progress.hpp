#pragma once

// What a solve of rows on a disk will read, and how far a sweep over them is.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "polyak/disk_rows.hpp"
#include "polyak/solve.hpp"
#include "solve/observers.hpp"

namespace polyak::cli {

/// Lines for people, before the run: the rates of the disk, the time of a pass, and how many the
/// automatic choice expects. Empty where A is in memory, or the rates are not known.
std::string expected_reads(const Problem& problem, const SolveOptions& options);

/// Shows how far the present sweep over the rows on a disk is, and when it will end. The solver
/// does not call its observers within a sweep, so that this has a thread. Without effect where A
/// is in memory, and where a sweep takes less than a few seconds.
class DiskProgress {
 public:
  /// `mutex` is that of the calls to `progress`.
  DiskProgress(const RowMatrix& A, Progress& progress, std::mutex& mutex);
  ~DiskProgress();
  DiskProgress(const DiskProgress&) = delete;
  DiskProgress& operator=(const DiskProgress&) = delete;

 private:
  void watch();

  const RowMatrix& A_;
  Progress& progress_;
  std::mutex& mutex_;
  std::mutex ending_mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace polyak::cli
