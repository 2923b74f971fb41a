#pragma once

// AᵀA of a sparse A entry by entry: Σ k_i² products for rows of k_i entries,
// where the panels of gram.cpp take n·d².

#include <functional>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// Of [A b]ᵀ[A b]: n rows, d columns, c right-hand sides.
struct GramSize {
  double n, d, c, entries;
  double products;  ///< RowMatrix::gram_products
};
GramSize gram_size(const RowMatrix& A, Index sides = 0);

/// So few products that this is the cheaper way: the panels make that many in the
/// time of one.
constexpr double products_in_panels = 46.0;
constexpr bool few_products(const GramSize& A) {
  return products_in_panels * A.products < A.n * A.d * A.d;
}
/// A is CSR and has few.
bool has_sparse_gram(const RowMatrix& A);

/// The lower triangle of what gram() gives, of such an A. Each entry is a sum
/// over rows in their order, part by part, whatever the team and the vector
/// instructions.
std::vector<double> sparse_gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                                ThreadTeam& team, ConstView b);

/// The longest chain of additions behind an entry of it, b or not.
double sparse_gram_additions(const RowMatrix& A);

/// How the work is cut, by sizes alone: H, of A's columns and the sides', into bands of
/// rows that stay in the caches, and those into strips that share the way through A; the
/// rows of A into parts with an H of their own, and each part into blocks, summed apart to
/// keep chains of additions short (b or not).
struct GramCuts {
  Index bands, strips, parts, blocks;  ///< blocks: of each part
};
GramCuts gram_cuts(const GramSize& A);

}  // namespace polyak
