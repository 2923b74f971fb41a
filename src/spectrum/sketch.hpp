#pragma once

// A as a few random combinations of its rows: what makes a good preconditioner
// (theory: docs/auto.md), found in one read.

#include "core/thread_team.hpp"
#include "linalg/buffer.hpp"
#include "polyak/problem.hpp"

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

}  // namespace polyak
