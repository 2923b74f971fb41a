#pragma once

// A few rows of a matrix, each with its weight: means and norms of its columns, on all ranks.

#include <cstdint>
#include <vector>

#include "polyak/problem.hpp"

namespace polyak::internal {

class ColumnSample {
 public:
  /// Rows of positive weight: `count` of them at random, or all where there are few.
  ColumnSample(const Problem& problem, Index count, std::uint64_t seed);

  /// True if no row has a weight.
  bool empty() const { return !(total_ > 0.0); }
  /// Σ w a_ij / Σ w.
  std::vector<double> means(const RowMatrix& A) const;
  /// √(Σ w a_ij² · n/m): about the norms of all columns, of any size.
  std::vector<double> norms(const RowMatrix& A) const;
  /// Σ w · n/m: about the sum of all weights.
  double weight_of_all() const { return total_ / share_; }

 private:
  std::vector<double> norms(const RowMatrix& A, double scale) const;
  void add_norms_of_all(const RowMatrix& A, double scale, std::vector<double>& norms2) const;
  void add_norms(const RowMatrix& A, double scale, std::vector<double>& norms2) const;

  std::vector<Index> rows_;
  bool weighted_;
  std::vector<double> weights_;
  double total_ = 0.0;
  double share_ = 1.0;  // m/n, of the rows that have a weight
};

}  // namespace polyak::internal
