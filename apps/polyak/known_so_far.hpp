#pragma once

// What a run has told of itself, for when it cannot be asked any more.

#include <mutex>

#include "polyak/solve.hpp"

namespace polyak::cli {

/// Which of the x that were measured is kept.
enum class Keep { least_residual, latest };

/// Passes everything on to `inner`, under `turn`, and keeps an x.
class KnownSoFar final : public Observer {
 public:
  KnownSoFar(Observer& inner, std::mutex& turn, Keep which)
      : inner_(inner), turn_(turn), which_(which) {}

  /// Of a run that ends so in the middle of a step: why, the history, and the norms of the best
  /// x. The caller has the turn.
  Report report(Status status, std::optional<double> limit_s) const;
  bool measured_any() const { return !x_.empty(); }
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

  Observer& inner_;
  std::mutex& turn_;
  Keep which_;
  std::vector<Measurement> history_;
  std::size_t best_ = 0;              // the line of x_
  std::vector<double> x_, next_x_;    // next_x_ waits for its line
  Measurement before_;                // the last line of the methods that came before
};

/// The same with what is known of the problem and x, which is the start where nothing was measured.
Report report_so_far(const KnownSoFar& known, const Problem& problem, const SolveOptions& options,
                     Status status);

}  // namespace polyak::cli
