#pragma once

// The table of `polyak plan`: the methods that can be named, with predicted iterations and
// seconds to the tolerance, and the one it recommends. What b adds to that (fit.cpp): whether the
// data are consistent, how far a start of 0 is from the solution, by how much an error has to
// fall until the tolerance is met, and the iterations that methods with exact gradients take.

#include <optional>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/plan.hpp"
#include "solve/plan/basis.hpp"
#include "theory/parameters.hpp"

namespace polyak::internal {

/// In the scaled problem's units unless stated otherwise.
struct PlanFit {
  std::vector<double> start;  ///< v_jᵀ(x_0 − x*) for the resolved eigenvalues; may be empty
  std::optional<double> relative_residual;  ///< ‖A·x* − b‖/‖b‖
  bool known = false;                       ///< x* was computed: all below is about this b
  bool consistent = true;                   ///< x* meets the tolerance by its residual
  double target = 1e-8;                     ///< by which ‖e‖ has to fall
  double fit_target = 1e-8;                 ///< by which ‖A·e‖ has to fall, at most
};

/// Without b: for consistent data and a solution without a preferred direction.
PlanFit fit_without_b(Index cols, double tol);

/// With b: by the eigenvectors where they are known, otherwise by normal equations where these
/// resolve A and take a few seconds at most. `resolved`: the resolved eigenvalues, ascending.
PlanFit fit_of_b(const Problem& problem, const MatrixFacts& facts, const Extremes& extremes,
                 const std::vector<double>& resolved, const SolveOptions& options,
                 Products& products);

/// The components of ‖A·e‖: eigenvalues of AᵀA, and for each of them √lambda_j·v_jᵀe of the
/// first error e; no sizes where b is not known along the eigenvectors.
struct FitComponents {
  std::vector<double> eigenvalues;
  std::vector<double> sizes;
};

/// Heavy ball or Nesterov: iterations after which ‖A·e‖ has fallen by `target`, exactly; or,
/// where the sizes are not known, an upper bound for every direction of e. Nothing where
/// that takes more than a few seconds of arithmetic.
std::optional<double> momentum_steps(theory::Method method, const theory::Parameters& p,
                                     const FitComponents& fit, double target);

/// Conjugate gradients (LSQR, CGLS) on these components; components of equal size where
/// they are not known.
std::optional<double> krylov_steps(const FitComponents& fit, double target);

/// Computed once for all rows of the table; in the scaled problem's units.
struct PlanFacts {
  const SolveOptions& options;
  const Problem& user;     ///< as given
  const Problem& problem;  ///< with scaled columns
  const MatrixFacts& facts;
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

}  // namespace polyak::internal
