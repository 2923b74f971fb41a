#pragma once

// AᵀA of a sparse A entry by entry: Σ k_i² products for rows of k_i entries,
// where the panels of gram.cpp take n·d².

#include <functional>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

bool is_csr(const RowMatrix& A);

/// So few entries that this is the cheaper way: a product here takes as long as
/// 36 in the panels.
constexpr bool few_entries(double rows, double cols, double entries) {
  return 6.0 * entries < rows * cols;
}
/// A is CSR and has few.
bool has_sparse_gram(const RowMatrix& A);

/// The lower triangle of what gram() gives, of such an A. Each entry is a sum
/// over rows in their order, block by block, whatever the team and the vector
/// instructions.
std::vector<double> sparse_gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                                ThreadTeam& team, ConstView b);

/// The longest chain of additions behind an entry of it.
double sparse_gram_additions(const RowMatrix& A);

}  // namespace polyak
