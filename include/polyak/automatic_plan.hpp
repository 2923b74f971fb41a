#pragma once

/// \file automatic_plan.hpp
/// What the method auto would do: the methods in the order it would run
/// them, and those it rules out (docs/auto.md).

#include <optional>
#include <string>
#include <vector>

#include "polyak/options.hpp"
#include "polyak/shape.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct AutomaticPlan {
  struct Step {
    std::string method;
    std::string why;
    double seconds = 0.0;               ///< predicted, on the nominal machine of the cost model
    double reads = 0.0;                 ///< of all rows, about; 0: not predicted
    std::optional<double> tol = {};     ///< where another than the requested one
    std::optional<double> passes = {};  ///< a trial: at most this many
    double memory_bytes = 0.0;          ///< beside A, b and weights (memory.hpp)
  };
  struct RuledOut {
    std::string method;
    std::string why;
  };
  /// What some rows have shown, solved directly and checked on others.
  struct Look {
    Index rows_solved = 0, rows_checked = 0;
    Index rank = 0;
    double condition = 0.0;
    /// Of the rows checked; absent where b was not given or x is not determined.
    std::optional<double> relative_residual;
    bool consistent = false;  ///< all rows checked fit: x is found already
  };

  Index rows_to_look_at = 0;  ///< rows that auto solves before it chooses; 0: none
  double look_seconds = 0.0, look_bytes = 0.0;
  std::optional<Look> look;  ///< absent where it was not taken
  std::vector<Step> steps;   ///< in order; each is run only if those before it fail
  std::vector<RuledOut> ruled_out;
};

/// From sizes alone; where auto would look at some rows first, the order may change with what
/// they show.
AutomaticPlan automatic_plan(const ProblemShape& shape, const SolveOptions& options);

/// After the look, with the same rows and the same choice as in auto. Where auto solves
/// some rows by cg instead (subset-cg), that is not done here, and its result may change the
/// order.
AutomaticPlan automatic_plan(const Problem& problem, const SolveOptions& options);

/// The same where b is not known and `problem` holds a placeholder: what the look shows
/// about b is left out.
AutomaticPlan automatic_plan_without_b(const Problem& problem, const SolveOptions& options);

std::string to_json(const AutomaticPlan& plan);

}  // namespace polyak
#pragma GCC visibility pop
