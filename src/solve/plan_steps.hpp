#pragma once

// Iterations of methods with exact gradients, where the spectrum of AᵀA is known: each
// component of the error along an eigenvector goes its own way.

#include <optional>
#include <vector>

#include "polyak/theory.hpp"
#include "theory/parameters.hpp"

namespace polyak {

/// What ‖A·e‖ is made of: eigenvalues of AᵀA, and with each of them the component
/// √lambda_j·v_jᵀe of the first error; none where b is not known along the eigenvectors.
struct FitComponents {
  std::vector<double> eigenvalues;
  std::vector<double> sizes;
};

/// Heavy ball or Nesterov: iterations after which ‖A·e‖ has fallen by `target`, exactly; or,
/// where the components are not known, after which no error of any direction can exceed that.
/// Nothing where that takes more than some seconds of arithmetic.
std::optional<double> momentum_steps(theory::Method method, const theory::Parameters& p,
                                     const FitComponents& fit, double target);

/// Conjugate gradients (LSQR, CGLS) on these components; all of one size where they are
/// not known.
std::optional<double> krylov_steps(const FitComponents& fit, double target);

}  // namespace polyak
