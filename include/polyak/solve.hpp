#pragma once

/// \file solve.hpp
/// The door: a problem and options in, a report out.
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

/// Watches a run. Called between chunks of iterations, from the caller's
/// thread; must not throw.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void measured(const Measurement&) {}
  /// Just before that: the x that was measured, one row per right-hand side.
  virtual void measured_x(ConstView) {}
  /// Now and then, also between measurements.
  virtual void progress(Index /*iteration*/, Index /*row_products*/) {}
  /// True ends the run after the current chunk (status interrupted).
  virtual bool stop_requested() { return false; }
  /// Is a snapshot wanted here? `ending`: the run is about to stop before it
  /// has converged, on request or at a limit.
  virtual bool snapshot_wanted(bool /*ending*/) { return false; }
  virtual void snapshot(Snapshot&&) {}
};

/// A solve that can be continued. Reads A for its facts (norms, spectrum) and
/// makes its plan when constructed; throws Error for bad data or options.
class Solver {
 public:
  Solver(std::shared_ptr<const Problem> problem, SolveOptions options);
  ~Solver();
  Solver(Solver&&) noexcept;

  /// Runs until a stop rule speaks. Calling it again with larger limits
  /// continues with the bits of a run that never stopped.
  Report run(Observer* observer = nullptr);
  void set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes);

  SolverState state() const;  ///< where ranks share the rows, they call this together
  void restore(const SolverState& state);
  /// The next run() goes on where that one was saved.
  void resume(const RunState& run);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// `from`: go on from a snapshot of the same problem and options; limits and
/// threads may differ. Iterations count on, the time limit is this call's own.
Report solve(const Problem& problem, const SolveOptions& options = {},
             Observer* observer = nullptr, const Snapshot* from = nullptr);

}  // namespace polyak
#pragma GCC visibility pop
