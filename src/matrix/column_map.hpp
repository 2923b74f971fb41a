#pragma once

// A change of variables that the solver works in: the columns of A brought to
// about one size by powers of two, and with an intercept also centred,
//   ã_ij = unit_j·(a_ij − centre_j),  and behind them a column unit_d·1.
// With Ã·z = A·x + c·1 this is x_j = unit_j·z_j, c = unit_d·z_d − Σ_j centre_j·x_j.
// Units are powers of two, so that no bit of A is lost. A unit of 0 takes a
// column out: its unknown cannot be identified and keeps its start value.

#include <algorithm>
#include <span>
#include <vector>

#include "polyak/matrices.hpp"

namespace polyak {

struct ColumnMap {
  std::vector<double> units;   ///< one for each column, that of ones included
  std::vector<double> centre;  ///< one for each column of A; empty means 0
  bool ones = false;           ///< a column of ones stands behind those of A

  /// Nothing but the column of ones, if that.
  static ColumnMap plain(Index cols_of_A, bool ones);
  bool centred() const { return !centre.empty(); }

  /// x of one right-hand side in the user's variables; where a unit is 0, what
  /// `start` has.
  void to_user(const double* z, const double* start, double* x) const;
  void from_user(const double* x, double* z) const;
};

/// A in these variables. Rows stay where they are: dense rows are mapped in
/// blocks that fit the cache, sparse ones entry by entry with the centre as a
/// term of rank one. Ranks keep their shares.
MatrixPtr mapped_columns(const MatrixPtr& A, ColumnMap map);

/// Whether A stores its rows, so that mapping them costs little.
bool stores_rows(const RowMatrix& A);

/// A matrix in other variables: what it is made of.
class MappedMatrix : public RowMatrix {
 public:
  MappedMatrix(MatrixPtr A, ColumnMap map);

  const MatrixPtr& inner() const { return A_; }
  const ColumnMap& map() const { return map_; }

  Index rows() const final { return A_->rows(); }
  Index cols() const final { return d_ + (map_.ones ? 1 : 0); }
  Index nonzeros() const final { return A_->nonzeros() + (map_.ones ? rows() : 0); }
  double gram_products() const final;
  std::string kind() const final { return A_->kind(); }
  double bytes() const final { return A_->bytes(); }
  void prefetch(std::span<const Index> rows) const final { A_->prefetch(rows); }
  void copy_rows(Index first, Index last, View out) const final;

 protected:
  bool units_only() const { return !map_.ones && !map_.centred(); }

  /// Columns in other units and nothing else need no mapped rows: Ã·z = A·(D·z) and Ãᵀy =
  /// D·(Aᵀy), to the last bit. body(D·x, sum), then g += D·sum, each only where asked for.
  template <class Body>
  void in_units(ConstView x, View g, Body body) const;

  /// A row of A becomes one of this matrix; there is room for the one behind it.
  void map_row(double* row) const;

  MatrixPtr A_;
  ColumnMap map_;
  Index d_;  // columns of A
};

template <class Body>
void MappedMatrix::in_units(ConstView x, View g, Body body) const {
  thread_local std::vector<double> room;
  const std::size_t d = to_size(d_), of_x = to_size(x.rows) * d, of_g = to_size(g.rows) * d;
  room.resize(std::max(room.size(), of_x + of_g));
  for (Index c = 0; c < x.rows; ++c)
    for (std::size_t j = 0; j < d; ++j) room[to_size(c) * d + j] = map_.units[j] * x.row(c)[j];
  std::fill_n(room.begin() + static_cast<Index>(of_x), of_g, 0.0);
  const View sum{room.data() + of_x, g.rows, d_, d_};
  body(ConstView{room.data(), x.rows, d_, d_}, sum);
  for (Index c = 0; c < g.rows; ++c)
    for (std::size_t j = 0; j < d; ++j) g.row(c)[j] += map_.units[j] * sum.row(c)[j];
}

/// Null for a matrix that is not mapped; of ranks, the rows held here are asked.
const MappedMatrix* as_mapped(const RowMatrix& A);

}  // namespace polyak
