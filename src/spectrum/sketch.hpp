#pragma once

// A sketch S·A: random combinations of the rows of A, computed in one read. It gives a
// preconditioner (docs/auto.md), and its eigenvalues bound those of AᵀA (docs/theory.md).

#include <span>

#include "core/thread_team.hpp"
#include "linalg/buffer.hpp"
#include "polyak/problem.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

/// The number of rows of the sketch to which each row of A is added.
constexpr Index sketch_copies = 8;

/// S·[√W Ã | √W b̃] with Ã = A·scale.a and b̃ = b·scale.b, for a sparse sign
/// matrix S of about `rows` rows (a multiple of sketch_copies): the sketch is
/// cut into sketch_copies bands, and every row of A is added to one random row of each band,
/// with a random sign and divided by √sketch_copies; so E‖S·y‖² = ‖y‖² for every y. Rows of
/// weight 0 are skipped. The bits do not depend on the number of threads. Without `with_rhs` the
/// columns of b are left out.
Buffer sparse_sign_sketch(const Problem& problem, Scale scale, Index rows, std::uint64_t seed,
                          ThreadTeam& team, bool with_rhs = true);

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// The probability with which either range may be wrong.
constexpr double sketch_failure = 1e-3;

struct SketchBounds {
  double lambda_min = 0.0;  ///< estimated low, because an error to the low side costs less
  Range lambda_min_range, lambda_max_range;
};

/// The ends of the spectrum of AᵀA with error bars. `values` are the nonzero eigenvalues of
/// (SA)ᵀSA, ascending; S has `rows` rows, more than there are values; `frobenius2` is ‖A‖_F².
SketchBounds sketch_bounds(std::span<const double> values, Index rows, double frobenius2);

}  // namespace polyak::internal
