#pragma once

// The change of variables that the solver uses: columns of A are scaled to about the same
// norm by powers of two, and with an intercept they are also centred,
//   ã_ij = unit_j·(a_ij − centre_j),  followed by a column unit_d·1.
// Then Ã·z = A·x + c·1 with x_j = unit_j·z_j and c = unit_d·z_d − Σ_j centre_j·x_j. Units
// are powers of two, so that no bit of A is lost. A unit of 0 removes a column: its unknown
// cannot be identified and keeps its start value.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "polyak/matrices.hpp"

namespace polyak {

/// The ratio of column norms up to which columns are not scaled: rounding to a power of two can
/// itself make equal norms differ by a factor of 2.
constexpr double max_norm_ratio = 4.0;

/// 2^k with k nearest to log2(v).
inline double power_of_two_near(double v) {
  return std::ldexp(1.0, static_cast<int>(std::lround(std::log2(v))));
}

struct ColumnMap {
  std::vector<double> units;   ///< one for each column, including that of ones
  std::vector<double> centre;  ///< one for each column of A; empty means 0
  bool ones = false;           ///< a column of ones follows those of A

  /// All units 1, no centre.
  static ColumnMap plain(Index cols_of_A, bool ones);
  bool centred() const { return !centre.empty(); }

  /// x of one right-hand side in the user's variables; the value of `start` where a unit
  /// is 0. `level` was subtracted from b: it is a part of the intercept.
  void to_user(const double* z, const double* start, double level, double* x) const;
  void from_user(const double* x, double level, double* z) const;
};

/// A in these variables, without a copy of A: dense rows are mapped in blocks that fit into
/// the cache, sparse ones entry by entry with the centre as a term of rank one. The
/// distribution over ranks remains. Rows of weight 0 (no weights: none) may differ: where a sparse
/// column has no entry there, it is 0 and not −unit·centre.
MatrixPtr mapped_columns(const MatrixPtr& A, ColumnMap map, std::span<const double> weights = {});

/// True if A stores its rows, so that mapping them costs little.
bool stores_rows(const RowMatrix& A);

/// A matrix in other variables.
class MappedMatrix : public RowMatrix {
 public:
  MappedMatrix(MatrixPtr A, ColumnMap map);

  const MatrixPtr& inner() const { return A_; }
  const ColumnMap& map() const { return map_; }
  /// The part of the centre that is subtracted from each stored entry, one for each column of A;
  /// empty means 0. The rest is a term of rank one (mapped_rows.hpp). Dense rows: all of it.
  virtual std::span<const double> entry_centre() const { return map_.centre; }
  /// True if all of the centre is.
  bool centred_by_entry() const;

  Index rows() const final { return A_->rows(); }
  Index cols() const final { return d_ + (map_.ones ? 1 : 0); }
  Index nonzeros() const final { return A_->nonzeros() + (map_.ones ? rows() : 0); }
  double gram_products() const final;
  std::string kind() const final { return A_->kind(); }
  double bytes() const final { return A_->bytes(); }
  void prefetch(std::span<const Index> rows) const final { A_->prefetch(rows); }
  Index rows_ahead() const final { return A_->rows_ahead(); }
  void expect_rows(std::span<const Index> rows) const final { A_->expect_rows(rows); }
  void expect_range(Index first, Index last) const final { A_->expect_range(first, last); }
  void copy_rows(Index first, Index last, View out) const final;

 protected:
  bool units_only() const { return !map_.ones && !map_.centred(); }

  /// If only the units differ, no rows have to be mapped: Ã·z = A·(D·z) and Ãᵀy = D·(Aᵀy),
  /// with the same bits. Calls body(D·x, sum), then g += D·sum; x or g may be empty.
  template <class Body>
  void in_units(ConstView x, View g, Body body) const;

  /// Maps a row of A in place; `row` has space for cols() numbers.
  void map_row(double* row) const;

  MatrixPtr A_;
  ColumnMap map_;
  Index d_;  // columns of A
};

template <class Body>
void MappedMatrix::in_units(ConstView x, View g, Body body) const {
  thread_local std::vector<double> buffer;
  const std::size_t d = to_size(d_), of_x = to_size(x.rows) * d, of_g = to_size(g.rows) * d;
  buffer.resize(std::max(buffer.size(), of_x + of_g));
  for (Index c = 0; c < x.rows; ++c)
    for (std::size_t j = 0; j < d; ++j) buffer[to_size(c) * d + j] = map_.units[j] * x.row(c)[j];
  std::fill_n(buffer.begin() + static_cast<Index>(of_x), of_g, 0.0);
  const View sum{buffer.data() + of_x, g.rows, d_, d_};
  body(ConstView{buffer.data(), x.rows, d_, d_}, sum);
  for (Index c = 0; c < g.rows; ++c)
    for (std::size_t j = 0; j < d; ++j) g.row(c)[j] += map_.units[j] * sum.row(c)[j];
}

/// Null if A, or the part of it stored here, is not mapped.
const MappedMatrix* as_mapped(const RowMatrix& A);

}  // namespace polyak
