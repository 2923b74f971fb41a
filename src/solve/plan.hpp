#pragma once

// Facts about A become parameters: method, sampling law, batch, step and
// momentum, and what is predicted of them.

#include <memory>
#include <optional>

#include "method/method.hpp"
#include "polyak/options.hpp"
#include "polyak/report.hpp"
#include "spectrum/facts.hpp"

namespace polyak {

struct Plan {
  std::string method;
  std::unique_ptr<const Sampler> sampler;  ///< null for methods that do not sample
  Parameters parameters;                   ///< in scaled units
  Used used;                               ///< the same in the user's units, for the report
  double rows_per_iteration = 0.0;
  double pace = 1.0;                       ///< iterations per e-fold at best; sets the driver's patience
  std::optional<double> expected_iterations;  ///< to the tolerance, where predicted
  double rows_read = 0.0;                  ///< what planning cost
  double table_seconds = 0.0, spectrum_seconds = 0.0;
};

/// "auto" resolved.
std::string choose_method(const Problem& problem, const std::string& asked);

/// Throws Error usage when the method cannot do what the problem asks.
Plan make_plan(const Problem& problem, const MatrixFacts& facts, const SolveOptions& options,
               ThreadTeam& team);

}  // namespace polyak
