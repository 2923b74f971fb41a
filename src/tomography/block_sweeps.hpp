#pragma once

// SIRT and SART. Both scale rows and columns by their sums over a block B of
// views,   x ← P(x + lambda·C_B A_Bᵀ R_B (b_B − A_B x)),
//   R = w_i/Σ_j a_ij,  C = 1/Σ_i w_i a_ij,
// SIRT with all views as one block, SART with each view as its own, in an order
// that keeps neighbours apart. A has no negative entry, so that C·AᵀRA has no
// eigenvalue above 1 and 0 < lambda < 2 is stable.

#include <algorithm>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/problem.hpp"

namespace polyak::tomography {

class BlockSweeps {
 public:
  /// `rays_per_view` consecutive rows make a view; `block` views a block.
  BlockSweeps(const Problem& problem, Products& products, Index rays_per_view, Index block,
              double relaxation);

  /// One sweep over all views.
  void sweep();
  /// Goes on from there.
  void set_x(const std::vector<double>& x) { std::copy(x.begin(), x.end(), x_.begin()); }
  ConstView x() const { return {x_.data(), columns_, d_, d_}; }

 private:
  void step(Index block);
  void update(Index c, Index first, Index last);

  const Problem& problem_;
  Products& products_;
  Index columns_, d_, blocks_, rows_per_block_;
  double relaxation_;
  // One row more than there are right-hand sides: x = 1 with b = 0, whose
  // gradient Σ_i R_i (Σ_j a_ij) a_ij is the sum of the columns.
  std::vector<double> x_, g_, b_;
  bool sums_known_ = false;          // SIRT needs them once
  double seen_ = 0.0;                // a sum above this is one
  std::vector<double> row_weights_;  // R
  std::vector<Index> order_, rows_;
};

}  // namespace polyak::tomography
