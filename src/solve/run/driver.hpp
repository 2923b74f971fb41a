#pragma once

// The one loop: advance, maybe measure, ask the stop rules, tell the observer.
// Methods know nothing of it; it knows nothing of their mathematics.

#include <memory>
#include <optional>

#include "polyak/solve.hpp"
#include "solve/run/guard.hpp"
#include "solve/run/monitor.hpp"
#include "solve/run/plateau.hpp"
#include "solve/run/row_estimate.hpp"
#include "solve/run/schedule.hpp"
#include "solve/run/setup.hpp"

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
  /// Goes on from there: the next run() begins where that one was saved.
  void resume(const RunState& run);

 private:
  /// Growth of the residual that no convergent transient shows.
  static constexpr double runaway = 1e6;

  struct Verdict {
    Status status;
    StoppedBy rule;
    std::string reason;
  };
  /// What came from outside between two pieces of work; where several
  /// processes share the rows, what any of them was told.
  struct Requests {
    bool stop = false, late = false, snapshot = false;
  };

  std::optional<RowEstimate> estimate(const Problem& problem);
  Verdict iterate(Observer& observer);
  Verdict trivial_answer();
  void advance_to(Index target, Observer& observer);
  void measure(Observer& observer);
  void save(Observer& observer);
  /// Back to the best x, with gentler parameters; false when there are none.
  bool retreat();
  void start_gentler();
  Verdict end_early(const Verdict& verdict, Observer& observer);
  bool can_wait();
  bool surely_above();
  bool looks_far();
  Requests ask(Observer& observer, bool ending = false) const;
  std::optional<Verdict> judge_mathematics() const;
  std::optional<Verdict> judge_limits(Observer& observer) const;
  std::optional<Verdict> judge_promise() const;
  Verdict horizon() const;
  Index last_iteration() const;
  /// Growth of the residual beyond which a run has diverged, in scaled units.
  double most_residual() const;
  bool ends_by_itself() const {
    return options_.tol > 0.0 && (!options_.stop_rule || options_.stop_rule->can_end());
  }
  double patience(const Problem& problem) const;
  double expected_x(double residual) const;
  bool runs_away();
  /// Of the time limit; what set-up takes counts.
  double elapsed() const {
    return options_.time_spent_s + setup_.seconds().setup + run_.solve_seconds +
           run_.measure_seconds - earlier_seconds_;
  }
  Report report(const Verdict& verdict) const;

  SolveOptions options_;
  SolveSetup setup_;
  Monitor monitor_;
  std::optional<RowEstimate> estimate_;  // where few rows tell anything
  Schedule schedule_;
  Plateau plateau_;
  Guard guard_;
  std::unique_ptr<Method> method_;  // null when there is nothing to iterate on
  Used used_;                       // the plan's, or gentler
  RunState run_;                    // but for the method's memory, which it keeps itself
  Measured last_;
  bool resumed_ = false;
  double earlier_seconds_ = 0.0;  // of the process that saved it
  double measurement_s_ = 0.0;    // what the last one took
  Index piece_ = 0;               // iterations between two looks at the clock
};

}  // namespace polyak
