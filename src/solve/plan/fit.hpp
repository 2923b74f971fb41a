#pragma once

// What b adds to a plan: whether the data are consistent, how far a start of 0 is from the
// solution, by how much an error has to fall until the tolerance is met, and the iterations
// that methods with exact gradients take for that.

#include <optional>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/options.hpp"
#include "polyak/theory.hpp"
#include "spectrum/extremes.hpp"
#include "theory/parameters.hpp"

namespace polyak {

/// In the scaled problem's units where nothing else is said.
struct PlanFit {
  std::vector<double> start;  ///< v_jᵀ(x_0 − x*) for the resolved eigenvalues; may be empty
  std::optional<double> relative_residual;  ///< ‖A·x* − b‖/‖b‖
  bool known = false;                       ///< x* was found: all below is about this b
  bool consistent = true;                   ///< … and it meets the tolerance by its residual
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

}  // namespace polyak
