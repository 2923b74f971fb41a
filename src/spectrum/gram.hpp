#pragma once

// H = Σ_i f_i² a_i a_iᵀ, with bits that do not depend on the number of threads: the Gram
// matrix of A (f = scale·√w), or the matrix S of the errata E14. Two algorithms: dense panels
// of rows with n·d² products (gram.cpp), and for a sparse A one product for each pair of
// entries of a row, Σ k_i² for rows of k_i entries (sparse_gram.cpp).

#include <algorithm>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// Calls found(row) for rows that several threads find, for one of them at a time.
class FoundRows {
 public:
  explicit FoundRows(std::function<void(Index)> found) : found_(std::move(found)) {}
  void add(std::span<const Index> rows) {
    if (rows.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const Index i : rows) found_(i);
  }

 private:
  std::mutex mutex_;
  std::function<void(Index)> found_;
};

/// d × d, both triangles, in one read of A. With b (n × c) the Gram matrix of [A b],
/// (d + c) × (d + c), which contains AᵀA, Aᵀb and bᵀb; f_i multiplies b_i too. The bits depend
/// on the vector instructions in use (kernels/gram.hpp). No factor means 1.
///
/// `zero_rows`, if not null, is told the rows stored here, in any order, that are zero or have the
/// factor 0; of a matrix in other variables those of the stored columns.
std::vector<double> gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                         ThreadTeam& team, ConstView b = {}, FoundRows* zero_rows = nullptr);

/// The length of the longest chain of additions in an entry of gram(A), with or without b: the
/// rounding error of an entry is at most about half of that times eps·Σ|terms|. A collective
/// call: every rank must make it.
double gram_additions(const RowMatrix& A);

/// The number of partial sums of a dense Gram matrix, one per task; a function of the sizes only.
Index gram_chunks(Index rows, Index cols);

/// Copies the rows first, first + 1, … to `out`, each multiplied by its factor.
void load_rows(const RowMatrix& A, const std::function<double(Index)>& factor, Index first,
               View out);

/// Calls body(chunk, first, block) for blocks of rows [first, first + block.rows), multiplied by
/// their factors, until all rows are done; the blocks of a chunk come in order on one thread.
void for_blocks(const RowMatrix& A, const std::function<double(Index)>& factor, Index chunks,
                ThreadTeam& team,
                const std::function<void(Index chunk, Index first, ConstView block)>& body);

/// Sizes of [A b] for its Gram matrix: n rows, d columns, c right-hand sides.
struct GramSize {
  double n, d, c, entries;
  double products;  ///< RowMatrix::gram_products
};
GramSize gram_size(const RowMatrix& A, Index sides = 0);

/// The panels make this many products in the time that sparse_gram takes for one.
constexpr double products_in_panels = 46.0;
/// True where sparse_gram is the cheaper algorithm.
constexpr bool few_products(const GramSize& A) {
  return products_in_panels * A.products < A.n * A.d * A.d;
}
/// True if A is stored as CSR and sparse_gram is cheaper for it.
bool has_sparse_gram(const RowMatrix& A);

/// The lower triangle of gram(), for an A with has_sparse_gram(A). The order of summation of
/// each entry depends neither on the number of threads nor on the vector instructions. Unless it
/// is empty, centre[j] is subtracted from each entry of column j.
std::vector<double> sparse_gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                                ThreadTeam& team, ConstView b, FoundRows* zero_rows = nullptr,
                                std::span<const double> centre = {});

/// gram_additions of sparse_gram.
double sparse_gram_additions(const RowMatrix& A);

/// How sparse_gram divides the work; a function of the sizes only. H is cut into bands of rows
/// that stay in the second-level cache; consecutive bands form a strip, the task of one thread.
/// The rows of A are cut into parts, each with its own partial H, and each part into blocks
/// with their own sums, which keeps the chains of additions short.
struct GramCuts {
  Index bands, strips, parts, blocks;  ///< blocks per part
};
GramCuts gram_cuts(const GramSize& A);

}  // namespace polyak

// Predicted costs of AᵀA and of a sketch, in seconds on a nominal machine with two cores and
// AVX-512 (bench/results). They are constants and not measurements at run time, so that choices
// based on them are reproducible on every machine (method/costs.hpp).

namespace polyak::nominal {

// kernels/gram: operations per second for many columns, and the number of columns that reaches
// half of that.
constexpr double gram_flops = 1.1e11;
constexpr double half_speed = 20.0;

// spectrum/sparse_gram: seconds for a product, an entry of H, a row of A, the search of a row
// for its entries in a band of H, and the cache misses of an entry of A where H is far larger
// than the caches (from about far_columns columns on).
constexpr double product_seconds = products_in_panels / gram_flops;
constexpr double place_seconds = 2e-9;
constexpr double row_seconds = 1e-8;
constexpr double search_seconds = 5e-10;
constexpr double miss_seconds = 5e-8;
constexpr double far_columns = 4096.0;

// Additions per second of kernels::gradient_step into a sketch that fits L2 (up to near_columns
// columns), and into a larger one.
constexpr double near_adds = 6.0e9;
constexpr double far_adds = 2.0e9;
constexpr double near_columns = 256.0;

/// Seconds for AᵀA of a dense n × d matrix.
constexpr double dense_gram(double n, double d) { return n * d * (d + half_speed) / gram_flops; }
/// Seconds for sparse_gram.
inline double gram_by_entries(const GramSize& A) {
  const double width = A.d + A.c;
  const GramCuts cuts = gram_cuts(A);
  const double search = cuts.bands > 1 ? static_cast<double>(cuts.bands) * search_seconds : 0.0;
  const double far = std::min(1.0, A.d * A.d / (far_columns * far_columns));
  return (A.products + A.c * (2.0 * A.entries + A.n * A.c)) * product_seconds +
         A.entries * far * miss_seconds + A.n * (row_seconds + search) +
         static_cast<double>(cuts.parts) * width * width * place_seconds;
}
/// Seconds for gram().
inline double gram(const GramSize& A) {
  return few_products(A) ? gram_by_entries(A) : dense_gram(A.n, A.d + A.c);
}

/// Additions per second into a sketch with this many columns.
constexpr double sketch_adds(double columns) {
  return columns <= near_columns ? near_adds : far_adds;
}

}  // namespace polyak::nominal
