#pragma once

// Factorisations in place, on row-major views, and the linear dependences between columns.

#include <span>
#include <vector>

#include "linalg/buffer.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

/// H = Rᵀ·R: the upper triangle of H becomes R; the rest is not touched. False when H is
/// not positive definite to working precision or not finite; the content of H is then undefined.
[[nodiscard]] bool cholesky(View H);

/// Cholesky with diagonal pivoting: H(place, place) = Rᵀ·R. Ends at the first pivot below
/// `least` and returns the number of pivots before it. H must be finite.
[[nodiscard]] Index pivoted_cholesky(View H, std::span<Index> place, double least);

/// At least the condition of the upper triangle R, and at most d^(1/8) times it (up to rounding);
/// infinity if R is singular. About 8d³ operations: for few columns.
double condition_bound(ConstView R);

/// Replaces `rows` by the R of its QR factorisation: upper triangular in the first min(rows,
/// cols) rows, zero elsewhere; rowsᵀ·rows = Rᵀ·R. For many rows see tsqr.hpp.
void householder_r(View rows);

/// One Householder step: reflects rows k, k + 1, … so that column k becomes zero below row k.
/// Earlier columns are not touched; they must be zero from row k on.
void reflect(View rows, Index k);

/// A = L·Qᵀ for a wide A (rows ≤ cols), Q with orthonormal columns: L is stored
/// in the lower triangle of the first `rows` columns, the reflectors of Q in the rest of A
/// and in `tau` (`rows` numbers).
void lq(View A, std::span<double> tau);

/// x_c ← Q·x_c for each row of X (c × cols); on entry the first `rows` numbers are the
/// coordinates and the others must be zero. A and tau are those of lq().
void lq_expand(ConstView A, std::span<const double> tau, View X);

/// Column `column` is the sum of by[k] times column on[k]; a zero column has none.
struct Dependence {
  Index column = 0;
  std::vector<Index> on;   ///< ascending
  std::vector<double> by;  ///< one for each of them
};

struct Dependences {
  std::vector<Dependence> columns;  ///< cols − rank of them, by ascending column
  Buffer null_space;                ///< cols × (cols − rank): R·null_space is zero to rounding
};

/// Linear dependences of the columns of a square R of known rank, by QR with column pivoting.
/// The columns should have norms of similar size.
Dependences dependences(ConstView R, Index rank);
/// The same from a factor with pivots, [R11 R12; 0 ~0], whose columns are those of `place`.
Dependences dependences(ConstView R, std::span<const Index> place, Index rank);

}  // namespace polyak::internal
