#pragma once

// The loop of a run: advance, measure where it is due, test the stop rules, call the observer. It
// uses no mathematics of a method, and methods do not depend on it.

#include <memory>
#include <optional>

#include "polyak/solve.hpp"
#include "solve/run/guard.hpp"
#include "solve/run/monitor.hpp"
#include "solve/run/row_estimate.hpp"
#include "solve/run/schedule.hpp"
#include "solve/run/setup.hpp"

namespace polyak::internal {

/// Writes the sizes of the problem and the vector instructions into a report.
void describe(const Problem& problem, Report& out);
/// Adds a warning where A does not have full column rank, or where its condition leaves x few
/// correct digits. `nearest`: see RankFound.
void warn_of_rank(const Problem& problem, const Used& used, bool nearest, Report& report);

/// The reason of a run that ended by a limit.
namespace limit_text {
std::string seconds(double limit);
std::string iterations(Index limit);
std::string passes(double limit);
}  // namespace limit_text

class Driver {
 public:
  /// `first_read`, `copied`: see SolveSetup.
  Driver(const Problem& problem, SolveOptions options, FirstRead first_read = FirstRead::cheapest,
         std::shared_ptr<RowSums> copied = nullptr);

  Report run(Observer* observer);
  void set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes);
  SolverState state() const;
  void restore(const SolverState& state);
  /// Continues a saved run: the next run() starts where that one was saved.
  void resume(const RunState& run);

 private:
  /// Growth of the residual or of x that the transient of a convergent run does not have.
  static constexpr double divergence_factor = 1e6;

  struct Verdict {
    Status status;
    StoppedBy rule;
    std::string reason;
  };
  /// Requests between two pieces of work; on several ranks, those of any rank.
  struct Requests {
    bool stop = false, late = false, snapshot = false;
    bool slow = false;   // the piece of work took long
    bool quick = false;  // it took so little that the next one may be longer
  };

  std::optional<RowEstimate> estimate(const Problem& problem);
  Verdict iterate(Observer& observer);
  Verdict trivial_answer();
  void advance_to(Index target, Observer& observer);
  void measure(Observer& observer);
  void save(Observer& observer);
  /// Back to the best x, with smaller parameters; false if there are none.
  bool retreat();
  void start_with_smaller();
  Verdict end_early(const Verdict& verdict, Observer& observer);
  bool can_wait();
  bool surely_above();
  bool rows_show_above();
  /// The same on all ranks. `ending`: the run ends here.
  Requests requests(Observer& observer, bool ending = false, double piece_seconds = 0.0) const;
  std::optional<Verdict> judge_mathematics() const;
  std::optional<Verdict> judge_limits(Observer& observer) const;
  std::optional<Verdict> judge_extrapolation() const;
  Verdict horizon() const;
  Index last_iteration() const;
  /// Growth of the residual beyond which a run has diverged, in scaled units.
  double max_residual() const;
  bool ends_by_itself() const {
    return options_.tol > 0.0 && (!options_.stop_rule || options_.stop_rule->can_end());
  }
  double patience(const Problem& problem) const;
  double expected_x(double residual) const;
  bool x_diverges();
  /// Seconds that count towards the time limit; set-up is one part of them.
  double elapsed() const {
    return options_.time_spent_s + setup_.seconds().setup + run_.solve_seconds +
           run_.measure_seconds - earlier_seconds_;
  }
  Report report(const Verdict& verdict) const;

  SolveOptions options_;
  SolveSetup setup_;
  Monitor monitor_;
  std::optional<RowEstimate> estimate_;  // where a test on a few rows is possible
  Schedule schedule_;
  Plateau plateau_;
  Guard guard_;
  std::unique_ptr<Method> method_;  // null if A has no entry that matters
  Used used_;                       // the plan's, or smaller ones
  RunState run_;                    // without the method's state, which is in method_
  Measured last_;
  std::optional<double> best_rounding_;  // Measured::rounding of the best x,
  bool best_is_here_ = false;            // if it was measured since the last resume
  bool resumed_ = false;
  double earlier_seconds_ = 0.0;  // of the process that saved the run
  double measurement_s_ = 0.0;    // of the last measurement
  Index piece_ = 0;               // iterations between two checks of the clock
};

}  // namespace polyak::internal
