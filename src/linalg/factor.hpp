#pragma once

// Factorisations in place, on row-major views.
//
// Which columns of a triangular factor depend on which: QR with column pivoting.

#include <span>
#include <vector>

#include "linalg/buffer.hpp"
#include "polyak/types.hpp"

namespace polyak {

/// H = Rᵀ·R: the upper triangle of H becomes R; the rest is not touched. False
/// when H is not positive definite to working precision or not finite; H is
/// then spoilt.
[[nodiscard]] bool cholesky(View H);

/// The same with the largest pivot first: H(place, place) = Rᵀ·R but for pivots below
/// `least`, at which it ends. Returns how many came before. H is finite.
[[nodiscard]] Index pivoted_cholesky(View H, std::span<Index> place, double least);

/// Rows become their R, in place: the upper triangle of the first min(rows,
/// cols) rows, zero elsewhere; rowsᵀ·rows = Rᵀ·R. For many rows see tsqr.hpp.
void householder_r(View rows);

/// One step of it: a reflection of the rows from k on takes column k to a multiple of e_k.
/// The columns in front of it are not touched; they must be zero from row k on.
void reflect(View rows, Index k);

/// A = L·Qᵀ for a wide A (rows ≤ cols), Q with orthonormal columns: L is left
/// in the lower triangle of the first `rows` columns, Q in the rest and in
/// `tau` (rows numbers).
void lq(View A, std::span<double> tau);

/// x_c ← Q·x_c for each row of X (c × cols), of which the first `rows` numbers
/// are read as coordinates and the others must be zero. A, tau from lq.
void lq_expand(ConstView A, std::span<const double> tau, View X);

/// Column `column` is a combination of the columns `on`; of none where it is zero.
struct Dependence {
  Index column = 0;
  std::vector<Index> on;
};

struct Dependences {
  std::vector<Dependence> columns;  ///< cols − rank of them, ascending
  Buffer null_space;                ///< cols × (cols − rank): R·null_space is zero to rounding
};

/// Of R (square), whose columns should be of about one size, and its rank.
Dependences dependences(ConstView R, Index rank);

}  // namespace polyak
