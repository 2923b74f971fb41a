#pragma once

// QR factorisation of a chosen subset of the columns of a small matrix, updated when a column
// is added or removed. An active-set method uses it for its free unknowns.

#include <span>
#include <vector>

#include "linalg/buffer.hpp"

namespace polyak::internal {

/// W = Qᵀ[M_F M_B | s], where F are the chosen columns and B all others: W_FF is upper
/// triangular, and W is zero below it. The rows after the first |F| hold the components
/// orthogonal to the columns of F. add() costs one Householder reflection of the columns that
/// follow in W, remove() one Givens rotation for each later column of F.
class ColumnQr {
 public:
  /// M is m × d, s has m entries; both are copied. At first no column is chosen.
  ColumnQr(ConstView M, std::span<const double> s);

  Index rows() const { return w_.rows(); }
  Index cols() const { return w_.cols() - 1; }
  Index count() const { return count_; }  ///< number of chosen columns, |F|
  bool holds(Index j) const { return place_[to_size(j)] < count_; }
  /// The order of the columns in W; the first count() are the chosen ones.
  std::span<const Index> order() const { return order_; }
  /// Number of add() and remove() calls since the last factor().
  Index changes() const { return changes_; }

  /// Factorises M anew, with these columns chosen, in this order. `least` holds one tolerance
  /// per column, 0 for a zero column. Returns true if every nonzero column of M has a distance
  /// above its tolerance from the span of the columns before it. `dependent` receives the
  /// chosen columns that have not; if there are any, W is not usable and factor() must be
  /// called again without them.
  bool factor(std::span<const Index> chosen, std::span<const double> least,
              std::vector<Index>& dependent);
  void add(Index j);
  void remove(Index j);

  /// t = Qᵀ(s − Σ_B M_j x_j), m numbers: the first count() are the right-hand side for F, the
  /// others are the residual.
  void reduce(std::span<const double> x, std::vector<double>& t) const;
  /// The minimiser z over F, in the order of order().
  void solve(std::span<const double> t, std::vector<double>& z) const;
  /// For each column j not in F: g[j] = −M_jᵀr with the residual r of F, and the distance of
  /// the column from the span of F.
  void gradients(std::span<const double> t, std::vector<double>& g,
                 std::vector<double>& distance) const;

 private:
  void swap_columns(Index p, Index q);

  Buffer m_;  // [M s]
  Buffer w_;
  std::vector<Index> order_, place_;
  Index count_ = 0, changes_ = 0;
};

}  // namespace polyak::internal
