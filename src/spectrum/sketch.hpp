#pragma once

// A as a few random combinations of its rows: what makes a good preconditioner
// (theory: docs/auto.md), found in one read.
//
// What the eigenvalues of a sketch, (SA)ᵀSA, tell of those of AᵀA: the ends of
// the spectrum with error bars. Pure functions of numbers; docs/theory.md has
// the equations.

#include <span>

#include "core/thread_team.hpp"
#include "linalg/buffer.hpp"
#include "polyak/problem.hpp"
#include "polyak/types.hpp"

namespace polyak {

/// How many rows of the sketch each row of A goes to.
constexpr Index sketch_copies = 8;

/// S·[√W Ã | √W b̃] with Ã = A·scale.a and b̃ = b·scale.b, for a sparse sign
/// matrix S of about `rows` rows (a multiple of sketch_copies): the sketch is
/// cut into sketch_copies bands, and every row of A goes to one random row of
/// each, with a random sign, divided by √sketch_copies; so E‖S·y‖² = ‖y‖² for
/// every y. Rows of weight 0 go nowhere. Same bits for any team. Without
/// `with_rhs` the columns of b are left out.
Buffer sparse_sign_sketch(const Problem& problem, Scale scale, Index rows, std::uint64_t seed,
                          ThreadTeam& team, bool with_rhs = true);

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// How often either range may be wrong.
constexpr double sketch_failure = 1e-3;

struct SketchBounds {
  double lambda_min = 0.0;  ///< leans to the low side, where an error costs least
  Range lambda_min_range, lambda_max_range;
};

/// `values` are the eigenvalues of (SA)ᵀSA that are not zero, ascending, for an
/// S of `rows` rows, more than there are values; `frobenius2` is ‖A‖_F².
SketchBounds sketch_bounds(std::span<const double> values, Index rows, double frobenius2);

}  // namespace polyak
