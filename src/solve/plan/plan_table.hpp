#pragma once

// The table of `polyak plan`: the methods that can be named, with predicted iterations and
// seconds to the tolerance, and the one it recommends.

#include "matrix/products.hpp"
#include "polyak/plan.hpp"
#include "solve/plan/fit.hpp"
#include "solve/plan/forecast.hpp"

namespace polyak {

/// Gathered once for all rows of the table; in the scaled problem's units.
struct PlanFacts {
  const SolveOptions& options;
  const Problem& user;     ///< as given
  const Problem& problem;  ///< with scaled columns
  const MatrixFacts& facts;
  Products& products;
  ThreadTeam& team;
  const Sampler& sampler;
  const Extremes& extremes;
  const Forecast& forecast;
  const PlanFit& fit;
  double kappa, eta;
  bool has_b;
  bool known_consistent;  ///< or b is not given
  bool columns_scaled;    ///< the paper's parameters are not those of A as given
};

struct PlanTable {
  std::vector<PlanRow> rows;
  std::size_t recommended = 0;  ///< the fastest here
};

/// Times short runs of the methods.
PlanTable make_plan_table(const PlanFacts& facts);

}  // namespace polyak
