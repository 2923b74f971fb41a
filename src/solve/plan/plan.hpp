#pragma once

// From facts about A to the parameters of a run: method, sampling law, batch, step and
// momentum, and the predicted rate.

#include <memory>
#include <optional>

#include "method/record.hpp"
#include "polyak/options.hpp"
#include "polyak/report.hpp"
#include "spectrum/facts.hpp"

namespace polyak::internal {

struct Plan {
  std::string method;
  std::unique_ptr<const Sampler> sampler;  ///< null for methods that do not sample
  Parameters parameters;                   ///< in scaled units
  Used used;                               ///< the same in the user's units, for the report
  double rows_per_iteration = 0.0;
  double pace = 1.0;  ///< iterations per e-fold at best; stagnation is judged over ten times that
  std::optional<double> expected_iterations;  ///< to the tolerance, where predicted
  double rows_read = 0.0;                     ///< while planning
  double table_seconds = 0.0, spectrum_seconds = 0.0;
};

/// The method to run; for "auto" the one that needs no choice by cost (Solver, replicates).
std::string choose_method(const Problem& problem, const std::string& asked);

/// Error usage where the method cannot handle bounds or a ridge term of the problem.
Plan make_plan(const Problem& problem, const MatrixFacts& facts, const SolveOptions& options,
               ThreadTeam& team);

}  // namespace polyak::internal
