#pragma once

/// \file automatic_plan.hpp
/// What the method auto would do: the methods in the order it would take
/// them, and those it would not (docs/auto.md).

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
    double seconds = 0.0;  ///< predicted, of the nominal machine that auto chooses by
    std::optional<double> tol = {};     ///< another than the one asked for
    std::optional<double> passes = {};  ///< a trial: no more than these
    double memory_bytes = 0.0;          ///< beside A, b and weights (memory.hpp)
  };
  struct RuledOut {
    std::string method;
    std::string why;
  };
  /// What some rows told, solved by QR and checked on others.
  struct Look {
    Index rows_solved = 0, rows_checked = 0;
    Index rank = 0;
    double condition = 0.0;
    /// Of the rows checked; absent where b was not given.
    std::optional<double> relative_residual;
    bool consistent = false;  ///< all of them fit: x is found already
  };

  Index rows_to_look_at = 0;  ///< 0: auto looks at none before it chooses
  double look_seconds = 0.0, look_bytes = 0.0;
  std::optional<Look> look;  ///< absent where nobody has looked
  std::vector<Step> steps;   ///< in the order auto takes them, each if those before it fail
  std::vector<RuledOut> ruled_out;
};

/// From sizes alone; where auto would look at some rows first, what they tell
/// may still change the order.
AutomaticPlan automatic_plan(const ProblemShape& shape, const SolveOptions& options);

/// After the look, as auto takes it: the same rows, the same choice. Where auto solves
/// some rows by cg instead (subset-cg), that is not done here and may change the order.
AutomaticPlan automatic_plan(const Problem& problem, const SolveOptions& options);

/// The same where b is not known and that of `problem` is only a stand-in: what
/// the look tells of b is left out.
AutomaticPlan automatic_plan_without_b(const Problem& problem, const SolveOptions& options);

std::string to_json(const AutomaticPlan& plan);

}  // namespace polyak
#pragma GCC visibility pop
