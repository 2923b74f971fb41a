#pragma once

// H = Σ_i f_i² a_i a_iᵀ by blocks of rows, with bits that do not depend on the
// team: the Gram matrix of A (f = scale·√w), or the matrix S of the errata E14.
//
// AᵀA of a sparse A entry by entry: Σ k_i² products for rows of k_i entries,
// where the panels of gram.cpp take n·d².

#include <algorithm>
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

/// body(first, block): the rows [first, first + block.rows) times their
/// factors, over all rows; each of `chunks` chunks goes in order on one thread.
void for_blocks(const RowMatrix& A, const std::function<double(Index)>& factor, Index chunks,
                ThreadTeam& team,
                const std::function<void(Index chunk, Index first, ConstView block)>& body);

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

// What AᵀA and a sketch cost, in seconds of a nominal machine of two cores with
// AVX-512 (bench/results). Constants, not measurements of the moment: choices made
// from them are the same every time and everywhere (solve/costs.hpp).

namespace polyak::nominal {

constexpr double gram_flops = 7.6e10;  // kernels/gram …
constexpr double half_speed = 30.0;    // … from some columns on; with so many half of that

constexpr double product_seconds = products_in_panels / gram_flops;  // spectrum/sparse_gram …
constexpr double place_seconds = 2e-9;                               // … of an entry of H …
constexpr double row_seconds = 1e-8;                                 // … of a row of A …
constexpr double look_seconds = 5e-10;  // … and of a look for what it has in a band of H …
constexpr double hit_seconds = 5e-8;    // … and of an entry of A where H is far larger …
constexpr double far_columns = 4096.0;  // … than the caches, as with so many columns

constexpr double near_adds = 6.0e9;  // of kernels::gradient_step into L2 …
constexpr double far_adds = 2.0e9;   // … and into a sketch of more columns than fit
constexpr double near_columns = 256.0;

/// AᵀA of n × d numbers.
constexpr double dense_gram(double n, double d) { return n * d * (d + half_speed) / gram_flops; }
inline double gram_by_entries(const GramSize& A) {
  const double width = A.d + A.c;
  const GramCuts cuts = gram_cuts(A);
  const double looks = cuts.bands > 1 ? static_cast<double>(cuts.bands) * look_seconds : 0.0;
  const double far = std::min(1.0, A.d * A.d / (far_columns * far_columns));
  return (A.products + A.c * (2.0 * A.entries + A.n * A.c)) * product_seconds +
         A.entries * far * hit_seconds + A.n * (row_seconds + looks) +
         static_cast<double>(cuts.parts) * width * width * place_seconds;
}
inline double gram(const GramSize& A) {
  return few_products(A) ? gram_by_entries(A) : dense_gram(A.n, A.d + A.c);
}

constexpr double sketch_adds(double columns) {
  return columns <= near_columns ? near_adds : far_adds;
}

}  // namespace polyak::nominal
