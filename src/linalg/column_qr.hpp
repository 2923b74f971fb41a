#pragma once

// QR of some columns of a small matrix, which follows when a column joins or leaves
// them: what an active-set method needs for the unknowns that are free.

#include <span>
#include <vector>

#include "linalg/buffer.hpp"

namespace polyak {

/// W = Qᵀ[M_F M_B | s] with the columns of F, the chosen ones, in front: W_FF is upper
/// triangular, and below it M_F is zero. Rows behind those of F hold what F does not
/// explain. A column that joins costs one reflection of the rest of W, one that leaves a
/// rotation for each column of F behind it.
class ColumnQr {
 public:
  /// M is m × d, s has m numbers; both are copied. No column is chosen.
  ColumnQr(ConstView M, std::span<const double> s);

  Index rows() const { return w_.rows(); }
  Index cols() const { return w_.cols() - 1; }
  Index count() const { return count_; }  ///< of the columns chosen
  bool holds(Index j) const { return place_[to_size(j)] < count_; }
  /// The columns in the order they have in W; the first count() are the chosen ones.
  std::span<const Index> order() const { return order_; }
  /// Columns that joined or left since the last factorisation from M.
  Index changes() const { return changes_; }

  /// From M afresh, with these columns, in this order. Returns whether every column of M
  /// that is not zero (whose `least` is 0) is farther than `least` from those in front of
  /// it. `dependent` are those chosen that are not; without them factor() has to be called
  /// again, as W is of no use then.
  bool factor(std::span<const Index> chosen, std::span<const double> least,
              std::vector<Index>& dependent);
  void add(Index j);
  void remove(Index j);

  /// t = Qᵀ(s − Σ_B M_j x_j), m numbers: its first count() are what F has to explain,
  /// the others what is left.
  void reduce(std::span<const double> x, std::vector<double>& t) const;
  /// The minimiser over F: z in the order of order().
  void solve(std::span<const double> t, std::vector<double>& z) const;
  /// For each column that is not chosen, by its number: −M_jᵀr of what is left, and how
  /// far the column is from those chosen.
  void gradients(std::span<const double> t, std::vector<double>& g,
                 std::vector<double>& distance) const;

 private:
  void swap_columns(Index p, Index q);

  Buffer m_;  // [M s]
  Buffer w_;
  std::vector<Index> order_, place_;
  Index count_ = 0, changes_ = 0;
};

}  // namespace polyak
