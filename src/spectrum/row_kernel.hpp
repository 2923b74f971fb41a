#pragma once

// How single rows scatter around AᵀA: the d × d numbers that the diag model of
// the sampling noise needs,
//   K_ij = Σ_l p_l⁻¹ (v_iᵀã_l)² (v_jᵀã_l)²   (docs/theory, models).

#include <vector>

#include "polyak/problem.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

struct RowKernel {
  std::vector<double> K;  ///< m × m
  bool sampled = false;   ///< from drawn rows rather than from all
  double rows_read = 0.0;
};

/// `vectors` are m rows of length d: the eigenvectors v_j that count.
/// All rows of A when there are at most `samples`; otherwise that many, drawn by the
/// sampler itself, which makes the estimate unbiased whatever the law.
RowKernel row_kernel(const Problem& problem, const MatrixFacts& facts, const Sampler& sampler,
                     const std::vector<double>& vectors, ThreadTeam& team, std::uint64_t seed,
                     Index samples = 20000);

}  // namespace polyak
