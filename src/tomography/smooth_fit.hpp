#pragma once

// Least squares with a penalty on the image's total variation,
//   ½ Σ w_i (a_iᵀx − b_i)² + λ·TV(x)   within bounds,
// by FISTA (Beck and Teboulle, 2009), restarted where the momentum leads uphill
// (O'Donoghue and Candès, 2015). The step is 1/L with L = max_j (AᵀWA·1)_j, which is
// at least lambda_max since A has no negative entry.

#include <span>
#include <vector>

#include "matrix/products.hpp"
#include "tomography/total_variation.hpp"

namespace polyak::tomography {

class SmoothFit {
 public:
  SmoothFit(Products& products, ConstView b, const ImageGrid& image);

  void begin(std::vector<double> x);
  void set_bounds(std::span<const double> lower, std::span<const double> upper) {
    prox_.set_bounds(lower, upper);
  }
  /// √L·(change of x), at least as large as the change of √W·A·x.
  double step(double lambda);

  const std::vector<double>& x() const { return x_; }
  double curvature() const { return curvature_; }  ///< L

  /// What a run that is saved needs: x, the point ahead of it, the dual, the momentum.
  std::vector<std::vector<double>> state() const { return {x_, ahead_, prox_.dual(), {momentum_}}; }
  void set_state(const std::vector<std::vector<double>>& state);

 private:
  Products& products_;
  ConstView b_;
  VariationProx prox_;
  std::vector<double> x_, ahead_, next_, g_;
  double curvature_, momentum_ = 1.0;
};

}  // namespace polyak::tomography
