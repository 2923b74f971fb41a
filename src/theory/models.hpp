#pragma once

// Models that follow only the diagonal q of E ee' in the eigenbasis: noise K'q
// with a symmetric matrix K' ≥ 0.

#include <string>
#include <vector>

#include "polyak/theory.hpp"
#include "theory/numerics.hpp"

namespace polyak::theory {

/// A model with its name and eigenvalues (checked), and energy ‖A‖_F².
Model named_model(std::string name, std::vector<double> eigenvalues);

/// Gives the model its noise: out = K'q, and residual_noise for ‖r‖ = 1, d
/// numbers or none.
void use_diagonal_noise(Model& model, Apply K, std::vector<double> residual_noise);

/// `model.noise` between the roots of the gains, D^1/2·N·D^1/2: symmetric, with
/// largest eigenvalue B(r)/alpha². `roots` has as many numbers as a state.
Apply balanced_noise(const Model& model, std::span<const double> roots);

/// The roots of Gam_ij (or Gam_j) in the layout of a state.
std::vector<double> gain_roots(const Impulse& impulse, Index width);

/// Lanczos on balanced_noise from the hint. A start that is positive in every
/// direction is mixed in, because the leading direction may change from one
/// evaluation to the next.
double leading_growth(const Model& model, const Impulse& impulse, std::vector<double>& hint);

}  // namespace polyak::theory
