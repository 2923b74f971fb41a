#pragma once

// Whole-matrix and batch operations on a team of threads, with bits that do
// not depend on the team.
//
// Rows are cut into a number of chunks that follows from sizes alone; each
// chunk sums into its own block, and blocks are added in chunk order. Which
// thread did a chunk leaves no trace.
//
// Where several processes share the rows (RowMatrix::share), each works on its
// own, and every sum below is complete when the call returns: the same bits on
// all of them. What has a number per row is filled for one's own rows only. Where
// `columns` are given, the gradient is whole on those that rows here touch, zero on
// others of them that lie within columns->held(), and untouched elsewhere.

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/ranks.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

/// Rows drawn for one gradient, ascending, and the factor of each.
struct Batch {
  std::span<const Index> rows;
  std::span<const double> weights;
};

class Products {
 public:
  /// `weights` are the rows' own (empty means 1) and must outlive this.
  Products(const RowMatrix& A, std::span<const double> weights, Scale scale, ThreadTeam& team);

  const RowMatrix& A() const { return A_; }
  Scale scale() const { return scale_; }
  ThreadTeam& team() const { return team_; }

  /// With Ã = scale.a·A and r = scale.b·(Ax − b): g_c = Σ_t weights[t]·r_tc·ã_t
  /// over the listed rows.
  void gradient(std::span<const Index> rows, std::span<const double> weights, ConstView x,
                ConstView b, View g, ColumnExchange* columns = nullptr);

  /// Several batches of about one size, each with its own rows of x and of g, in one
  /// sweep over A: a block of rows stays in cache while every batch uses its
  /// share of it. The bits are those of one batch after the other.
  void gradients(std::span<const Batch> batches, ConstView x, ConstView b, View g,
                 ColumnExchange* columns = nullptr);

  /// g_c = Ãᵀ W r_c and residual2[c] = r_cᵀ W r_c, in one read of A; with `columns`
  /// the latter is of the rows held here.
  void full_gradient(ConstView x, ConstView b, View g, std::span<double> residual2,
                     ColumnExchange* columns = nullptr);

  /// y = √W Ã x, n × c.
  void multiply(ConstView x, View y);
  /// g = Ãᵀ √W y, c × d.
  void transposed(ConstView y, View g);

  /// Σ_i term(first, last) over the chunks of the n rows, added in order:
  /// the fixed-shape sum for anything of length n.
  template <class Term>
  double row_sum(Term term) {
    double* parts = scratch(row_chunks());
    for_row_chunks([&](Index chunk, Index first, Index last) { parts[chunk] = term(first, last); });
    double sum = 0.0;
    for (Index chunk = 0; chunk < row_chunks(); ++chunk) sum += parts[chunk];
    communicator_.sum({&sum, 1});
    return sum;
  }

  /// body(chunk, first, last) for each chunk of the rows held here.
  template <class Body>
  void for_row_chunks(Body body) {
    const Index chunks = row_chunks();
    team_.run(chunks,
              [&](Index chunk) { body(chunk, start(chunk, chunks), start(chunk + 1, chunks)); });
  }
  Index row_chunks() const { return chunk_count(own_rows_); }

 private:
  Index start(Index chunk, Index chunks) const { return first_row_ + chunk * own_rows_ / chunks; }
  void complete(View g, ColumnExchange* columns = nullptr) const;
  Index chunk_count(Index rows) const;
  double root_weight(Index i) const;  // scale.a·√w_i
  View part(Index chunk, View g);
  double* scratch(Index count);
  // Entries first .. last-1 of a batch.
  struct Part {
    Index first = 0, last = 0;
  };
  Part chunk_of(const Batch& batch, Index chunk) const;
  void sweep(std::span<const Batch> batches, std::span<Part> left, ConstView x, ConstView b,
             View g) const;
  void add_parts(Index chunks, View g, ColumnRange range);

  /// g = Σ of what body(chunk, sum) adds to its own zeroed block, then completed.
  template <class Body>
  void sum_chunks(Index chunks, View g, ColumnExchange* columns, Body body);

  const RowMatrix& A_;
  Communicator& communicator_;
  std::span<const double> weights_;
  Scale scale_;
  ThreadTeam& team_;
  Index first_row_, own_rows_;
  double entries_per_row_;
  // Room that grows to what is asked for, once.
  std::vector<double> parts_;    // chunk 0 sums into the result itself
  std::vector<double> scratch_;  // of each chunk
  std::vector<Part> left_;       // of each chunk: what each batch still has
};

}  // namespace polyak
