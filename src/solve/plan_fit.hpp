#pragma once

// What b adds to a plan: whether the data are consistent, how far a start of 0 is from the
// solution, and by how much an error has to fall until the tolerance is met.

#include <optional>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/options.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

/// In the scaled problem's units where nothing else is said.
struct PlanFit {
  std::vector<double> start;  ///< v_jᵀ(x_0 − x*) for the eigenvalues that count; may be empty
  std::optional<double> relative_residual;  ///< ‖A·x* − b‖/‖b‖
  bool known = false;       ///< x* was found, so that all below is about this b
  bool consistent = true;   ///< … and it meets the tolerance by its residual
  double target = 1e-8;     ///< by which ‖e‖ has to fall
  double fit_target = 1e-8; ///< by which ‖A·e‖ has to fall, at most
};

/// Without b: as if data were consistent and no direction preferred.
PlanFit fit_without_b(Index cols, double tol);

/// With b, by the eigenvectors where there are any, and otherwise by normal equations where
/// these resolve A and take seconds at most. `resolved`: eigenvalues that count, ascending.
PlanFit fit_of_b(const Problem& problem, const MatrixFacts& facts, const Extremes& extremes,
                 const std::vector<double>& resolved, const SolveOptions& options,
                 Products& products);

}  // namespace polyak
