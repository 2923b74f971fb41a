#pragma once

// Whether the solution meets the tolerance on all rows, from what one read of them left: values,
// and bounds that include the rounding of that read.
//
// R is the exact factor of rows with errors of at most eta‖a_j‖ in each column
// (linalg/block_qr.hpp). The right-hand side is b, or r_1 = b − A·x_1 of a start x_1
// (triangle.hpp), the numbers of which have errors of at most e·S_1 in norm, S_1 = ‖b‖ +
// Σ_j‖a_j‖|x_1j|: those of one row are at most e·(|b_i| + Σ_j|a_ij||x_1j|), e = γ_{J/8+24}
// (kernels/reference.hpp). With the step s = x − x_1, r̂ = R_A·s − R_r and T = ‖r_1‖ + Σ_j‖a_j‖|s_j|
// it follows for r = A·x − b
//   |‖r‖ − ‖r̂‖| ≤ eta·T + e·S_1,   |a_jᵀr − (R_A)_jᵀr̂| ≤ ‖a_j‖(eta·(‖r̂‖ + T) + e·S_1),
// and the rounding of r̂ and of these products has the same form, with γ_{2J+16} in place of eta.
// So has the rounding of x = x_1 + s, u·Σ_j‖a_j‖|x_j|. Without a start T = S and there is no S_1.

#include <vector>

#include "solve/stream/triangle.hpp"

namespace polyak {

struct StreamTests {
  /// max_j |a_jᵀr|/(‖a_j‖‖r‖) of the worst right-hand side, with a ridge that of [A; √ridge·I].
  double by_gradient = 0.0;
  /// The smaller of it and ‖r‖/(Σ_j‖a_j‖|x_j| + ‖b‖), for the worst right-hand side.
  double backward_error = 0.0;
  double bound = 0.0;  ///< of backward_error, proved
  bool residual_decides = true;
  double residual_norm = 0.0;   ///< of all right-hand sides, without the ridge, in the user's units
  double residual_error = 0.0;  ///< a proved bound of the error of residual_norm
  double gradient_norm = 0.0;   ///< ‖Aᵀr‖, the same
};

StreamTests test_fit(const Triangle& triangle, const TriangleFit& fit, double ridge);
/// The same at x = 0.
StreamTests test_at_zero(const Triangle& triangle, const TriangleFit& fit, double ridge);

}  // namespace polyak
