#pragma once

// H = Σ_i f_i² a_i a_iᵀ by blocks of rows, with bits that do not depend on the
// team: the Gram matrix of A (f = scale·√w), or the matrix S of the errata E14.

#include <functional>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// d × d, both triangles, in one read of A. With a b (n × c) the same of [A b],
/// (d + c) × (d + c): AᵀA, Aᵀb and bᵀb at once, f_i standing for b_i too. The
/// bits depend on the vector instructions in use (kernels/gram.hpp).
std::vector<double> gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                         ThreadTeam& team, ConstView b = {});

/// The longest chain of additions behind an entry of it, b or not: each entry is
/// off by at most about half as many eps·Σ|terms|. All ranks call it together.
double gram_additions(const RowMatrix& A);

/// Rows first, first + 1, … times their factors.
void load_rows(const RowMatrix& A, const std::function<double(Index)>& factor, Index first,
               View out);

/// Ascending eigenvalues of a symmetric d × d matrix.
std::vector<double> eigenvalues_of(std::vector<double> H, Index d);
/// The same, and row j of H becomes the eigenvector of values[j].
void eigenvectors_of(std::vector<double>& H, std::vector<double>& values);

/// body(first, block): the rows [first, first + block.rows) times their
/// factors, over all rows; each of `chunks` chunks goes in order on one thread.
void for_blocks(const RowMatrix& A, const std::function<double(Index)>& factor, Index chunks,
                ThreadTeam& team,
                const std::function<void(Index chunk, Index first, ConstView block)>& body);

}  // namespace polyak
