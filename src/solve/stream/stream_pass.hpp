#pragma once

// The one read of the rows: by all threads, each of which takes the next block, converts it to
// numbers, and adds it to the factor.

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "core/thread_team.hpp"
#include "linalg/block_qr.hpp"
#include "solve/stream/row_reservoir.hpp"
#include "solve/stream/stream_rows.hpp"

namespace polyak {

class StreamPass {
 public:
  StreamPass(RowStream& stream, const StreamProblem& problem, const SolveOptions& options,
             const std::function<void(Index)>& progress);

  /// Reads all rows.
  Triangle run();

  // After run():
  Index rows() const { return read_ - dropped_; }
  Index dropped_rows() const { return dropped_; }
  Index zero_rows() const { return zero_rows_; }
  Index zero_rows_with_rhs() const { return zero_rows_with_rhs_; }
  /// Some column of A, or of ones, has the same value, not zero, in all rows that count (known
  /// where statistics are wanted).
  bool has_constant_column() const;
  /// Rows of [A b] kept at random.
  std::vector<RowReservoir::Row> kept_rows() const { return reservoir_.rows(); }
  int threads() const { return team_.size(); }
  Index block_rows() const { return qr_.shape().rows; }

  static double bytes(Index cols, Index right_hand_sides, int threads);

 private:
  struct Workspace;

  void begin();
  std::optional<RowBlock> take();
  bool next_block(RowBlock& block);
  void work();
  void fail(Index number);
  void throw_failure() const;
  void count(const RowBlock& block);
  void compare(const double* row);
  void add(const RowBlock& block, Workspace& space);
  void check_end() const;

  RowStream& stream_;
  const StreamProblem& problem_;
  const SolveOptions& options_;
  const std::function<void(Index)>& progress_;
  StreamRows rows_;
  ThreadTeam team_;
  BlockQr qr_;
  RowReservoir reservoir_;

  std::mutex input_;
  std::vector<RowBlock> ready_;  // the first blocks, which have been converted
  std::size_t next_ready_ = 0;
  Index next_number_ = 0, read_ = 0;

  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  Index failed_number_ = 0;
  std::atomic<bool> failed_ = false;

  std::atomic<Index> dropped_ = 0, counted_ = 0, zero_rows_ = 0, zero_rows_with_rhs_ = 0;
  std::vector<std::atomic<bool>> varies_;
};

}  // namespace polyak
