#pragma once

// The one loop: advance, maybe measure, ask the stop rules, tell the observer.
// Methods know nothing of it; it knows nothing of their mathematics.

#include <memory>
#include <optional>

#include "polyak/solve.hpp"
#include "solve/engine.hpp"
#include "solve/monitor.hpp"
#include "solve/plateau.hpp"
#include "solve/schedule.hpp"

namespace polyak {

/// What a report says of the problem and the machine.
void describe(const Problem& problem, Report& out);

class Driver {
 public:
  Driver(const Problem& problem, SolveOptions options);

  Report run(Observer* observer);
  void set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes);
  SolverState state() const;
  void restore(const SolverState& state);

 private:
  struct Verdict {
    Status status;
    std::string reason;
  };

  Verdict iterate(Observer& observer);
  Verdict trivial_answer();
  void advance_to(Index target, Observer& observer);
  void measure(Observer& observer);
  std::optional<Verdict> judge(Observer& observer);
  std::optional<Verdict> judge_mathematics() const;
  std::optional<Verdict> judge_limits() const;
  Verdict horizon() const;
  Index last_iteration() const;
  bool runs_away() const;
  double elapsed() const { return solve_seconds_ + measure_seconds_; }
  Report report(const Verdict& verdict) const;
  void add_warnings(Report& report) const;

  SolveOptions options_;
  Engine engine_;
  Monitor monitor_;
  Schedule schedule_;
  Plateau plateau_;
  std::unique_ptr<Method> method_;  // null when there is nothing to iterate on
  std::vector<Measurement> history_;
  Measured last_;
  std::vector<double> best_;
  double best_gradient_ = 0.0, best_backward_error_ = 0.0, first_residual_ = 0.0, largest_x_ = 0.0;
  Index measured_rows_ = 0;
  double solve_seconds_ = 0.0, measure_seconds_ = 0.0;
};

}  // namespace polyak
