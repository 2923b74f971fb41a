#pragma once

// Parts of the noise models. Diagonal models use only the diagonal q of E ee' in the eigenbasis;
// their noise is K'q with a symmetric matrix K' ≥ 0.

#include <string>
#include <vector>

#include "polyak/theory.hpp"
#include "theory/numerics.hpp"

namespace polyak::theory::internal {

/// A model with this name, these eigenvalues (checked) and the energy ‖A‖_F².
Model named_model(std::string name, std::vector<double> eigenvalues);

/// Sets the noise of a diagonal model: out = K'q, plus ‖r‖²·residual_noise (d numbers, or empty
/// if the model is used for r = 0 only).
void use_diagonal_noise(Model& model, Apply K, std::vector<double> residual_noise);

/// The symmetric operator D^1/2·N·D^1/2, where N is `model.noise` and `roots` the diagonal of
/// D^1/2 (gain_roots). Its largest eigenvalue is B(r)/alpha².
Apply balanced_noise(const Model& model, std::span<const double> roots);

/// √Gam_ij (or √Gam_j for width 1), in the layout of a covariance.
std::vector<double> gain_roots(const Impulse& impulse, Index width);

/// The largest eigenvalue of balanced_noise, by Lanczos from `hint`. A multiple of the identity
/// is added to the start, because the leading eigenvector may change from one evaluation to the
/// next.
double leading_growth(const Model& model, const Impulse& impulse, std::vector<double>& hint);

}  // namespace polyak::theory::internal
