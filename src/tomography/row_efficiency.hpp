#pragma once

#include "polyak/problem.hpp"
#include "polyak/theory.hpp"

namespace polyak::tomography {

// ‖A‖_F² and, for a sampling law, eta·‖A‖_F² = max ‖a_i‖²/p_i, the weights
// being part of A. One pass.
struct Energy {
  double frobenius2 = 0.0, sampled = 0.0;
};
Energy energy_of(const Problem& problem, const std::string& sampling, int threads);

// Step and momentum for a batch where lambda_min is next to nothing and no rate
// is to be had. What counts is how far a row product goes: the effective step
// per row, alpha/((1 − beta)·B), is held where Kaczmarz has it, at stability
// number q = ½ (q < 1 is certified stable, q near 1 is noisy). Small batches
// need no momentum for that; for large ones alpha stays at 1/lambda_max and
// momentum makes up for the rest.
theory::Parameters for_row_efficiency(double lambda_max, double energy, double batch);

}  // namespace polyak::tomography
