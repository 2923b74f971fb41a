#pragma once

// The d × d matrix of fourth moments of the rows that the diagonal model of the sampling noise
// needs,
//   K_ij = Σ_l p_l⁻¹ (v_iᵀã_l)² (v_jᵀã_l)²   (docs/theory, models).

#include <vector>

#include "polyak/problem.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/extremes.hpp"

namespace polyak::internal {

struct RowKernel {
  std::vector<double> K;  ///< m × m
  bool sampled = false;   ///< estimated from drawn rows
  double rows_read = 0.0;
};

/// `vectors` are m rows of length d: the eigenvectors v_j of the nonzero eigenvalues. Uses all
/// rows of A if there are at most `samples`; otherwise `samples` rows drawn by the sampler, which
/// makes the estimate unbiased for every sampling law.
RowKernel row_kernel(const Problem& problem, const MatrixFacts& facts, const Sampler& sampler,
                     const std::vector<double>& vectors, ThreadTeam& team, std::uint64_t seed,
                     Index samples = 20000);

}  // namespace polyak::internal
