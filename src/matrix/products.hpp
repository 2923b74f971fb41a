#pragma once

// Whole-matrix and batch operations on a team of threads, with bits that do not depend on
// the number of threads.
//
// Rows are divided into chunks whose number follows from sizes alone; each chunk sums into
// its own block, and blocks are added in the order of chunks.
//
// If rows are distributed over ranks (polyak/ranks.hpp), each rank reads its own rows, and
// every sum below is over the rows of all ranks when the call returns, with the same bits on
// all of them. Vectors with a number per row are written for the own rows only. With
// `columns` the gradient is complete in the columns that the own rows use, zero in the other
// columns of columns->held(), and not written elsewhere.

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/ranks.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak::internal {

/// Rows drawn for one gradient, ascending, and the factor of each.
struct Batch {
  std::span<const Index> rows;
  std::span<const double> weights;
};

class Products {
 public:
  /// `weights` are those of the rows (empty means 1) and must outlive this.
  Products(const RowMatrix& A, std::span<const double> weights, Scale scale, ThreadTeam& team);

  const RowMatrix& A() const { return A_; }
  ThreadTeam& team() const { return team_; }

  /// With Ã = scale.a·A and r = scale.b·(Ax − b): g_c = Σ_t weights[t]·r_tc·ã_t
  /// over the listed rows.
  void gradient(std::span<const Index> rows, std::span<const double> weights, ConstView x,
                ConstView b, View g, ColumnExchange* columns = nullptr);

  /// Several batches of about the same size, each with its own vectors in x and g, in one
  /// sweep over A: a block of rows of A stays in cache while it is used by every batch. The
  /// bits are those of one batch after the other.
  void gradients(std::span<const Batch> batches, ConstView x, ConstView b, View g,
                 ColumnExchange* columns = nullptr);

  /// g_c = Ãᵀ W r_c and residual2[c] = r_cᵀ W r_c, in one read of A; with `columns`
  /// the latter is the sum over the rows stored here.
  void full_gradient(ConstView x, ConstView b, View g, std::span<double> residual2,
                     ColumnExchange* columns = nullptr);

  /// y = √W Ã x, n × c.
  void multiply(ConstView x, View y);
  /// g = Ãᵀ √W y, c × d.
  void transposed(ConstView y, View g);

  /// Σ term(first, last) over the chunks of the n rows, added in the order of chunks: for
  /// sums over vectors of length n.
  template <class Term>
  double row_sum(Term term) {
    double* parts = scratch(row_chunks());
    for_row_chunks([&](Index chunk, Index first, Index last) { parts[chunk] = term(first, last); });
    double sum = 0.0;
    for (Index chunk = 0; chunk < row_chunks(); ++chunk) sum += parts[chunk];
    communicator_.sum({&sum, 1});
    return sum;
  }

  /// body(chunk, first, last) for each chunk of the rows stored here.
  template <class Body>
  void for_row_chunks(Body body) {
    const Index chunks = row_chunks();
    team_.run(chunks,
              [&](Index chunk) { body(chunk, start(chunk, chunks), start(chunk + 1, chunks)); });
  }
  Index row_chunks() const { return chunk_count(own_rows_); }

 private:
  Index start(Index chunk, Index chunks) const { return first_row_ + chunk * own_rows_ / chunks; }
  void sum_over_ranks(View g, ColumnExchange* columns) const;
  Index chunk_count(Index rows) const;
  double root_weight(Index i) const;  // scale.a·√w_i
  View part(Index chunk, View g);
  double* scratch(Index count);
  // Entries first .. last-1 of a batch.
  struct Part {
    Index first = 0, last = 0;
  };
  Part chunk_of(const Batch& batch, Index chunk) const;
  void sweep(std::span<const Batch> batches, std::span<Part> remaining, ConstView x, ConstView b,
             View g) const;
  void add_parts(Index chunks, View g, ColumnRange range);

  /// g = the sum over chunks and ranks of the blocks that body(chunk, sum) adds to, zero before.
  template <class Body>
  void sum_chunks(Index chunks, View g, ColumnExchange* columns, Body body);

  const RowMatrix& A_;
  Communicator& communicator_;
  std::span<const double> weights_;
  Scale scale_;
  ThreadTeam& team_;
  Index first_row_, own_rows_;
  double entries_per_row_;
  // Buffers that grow to the size needed and are kept.
  std::vector<double> parts_;    // sums of chunks 1, 2, …; chunk 0 sums into the result
  std::vector<double> scratch_;  // of each chunk
  std::vector<Part> remaining_;  // chunks × batches: entries not yet used
};

}  // namespace polyak::internal
