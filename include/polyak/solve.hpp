#pragma once

/// \file solve.hpp
/// The entry point: takes a problem and options, returns a report.
///
///   polyak::Problem problem({.A = A, .b = b});
///   polyak::Report report = polyak::solve(problem, {.method = "minibatch-hbm"});
///   if (report.status == polyak::Status::converged) use(report.x);

#include <memory>

#include "polyak/problem.hpp"
#include "polyak/report.hpp"
#include "polyak/snapshot.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Callbacks of a run. Called between chunks of iterations, from the caller's
/// thread; must not throw.
class Observer {
 public:
  virtual ~Observer() = default;
  /// After each measurement of the true residual.
  virtual void measured(const Measurement&) {}
  /// Called just before measured(), with the x that was measured: one row per right-hand side.
  virtual void measured_x(ConstView) {}
  /// Called after chunks of iterations, also between measurements.
  virtual void progress(Index /*iteration*/, Index /*row_products*/) {}
  /// Returning true ends the run after the current chunk (status interrupted).
  virtual bool stop_requested() { return false; }
  /// Returning true requests a snapshot at this point. `ending` is true where the run is
  /// about to stop before convergence, on request or at a limit.
  virtual bool snapshot_wanted(bool /*ending*/) { return false; }
  /// Receives the snapshot that snapshot_wanted() requested.
  virtual void snapshot(Snapshot&&) {}
};

/// A solve that can be continued. The constructor reads A (row norms, spectrum)
/// and chooses the parameters; it throws Error for bad data or options. With
/// method "auto" the choice is by size alone: direct or lsqr, with bounds
/// active-set or bounded-cg; solve() chooses as docs/auto.md describes.
class Solver {
 public:
  Solver(std::shared_ptr<const Problem> problem, SolveOptions options);
  ~Solver();
  Solver(Solver&&) noexcept;

  /// Runs until a stopping criterion is met. A second call with larger limits
  /// continues the run and gives the same bits as one run without the stop.
  Report run(Observer* observer = nullptr);
  /// Replaces the limits of the options for the next run().
  void set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes);

  SolverState state() const;  ///< with several ranks: a collective call
  void restore(const SolverState& state);
  /// The next run() continues from the state that was saved.
  void resume(const RunState& run);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Solves the problem. `from`: continue from a snapshot of the same problem and options;
/// limits and threads may differ. The iteration count continues; the time limit applies
/// to this call alone.
Report solve(const Problem& problem, const SolveOptions& options = {}, Observer* observer = nullptr,
             const Snapshot* from = nullptr);

}  // namespace polyak
#pragma GCC visibility pop
