#pragma once

// Least squares with a penalty on the image's total variation,
//   ½ Σ w_i (a_iᵀx − b_i)² + λ·TV(x)   within bounds,
// by FISTA (Beck and Teboulle, 2009), restarted where the momentum leads uphill
// (O'Donoghue and Candès, 2015). The step is 1/L with L = max_j (AᵀWA·1)_j, which is
// at least lambda_max since A has no negative entry.
//
// Rays that are kept from a fit, so that they can judge it: noise that is fitted
// does not help to predict them.

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "matrix/products.hpp"
#include "polyak/problem.hpp"
#include "polyak/tomography.hpp"

namespace polyak::tomography {

/// argmin ½‖x − v‖² + mu·TV(x) within bounds, TV(x) = Σ_j |∇x|_j with ∇ the differences
/// to the pixels on the right and below, by fast gradient projection on the dual
/// (Beck and Teboulle, IEEE Trans. Image Process. 18, 2009): with |p_j| ≤ 1,
///   x = P(v − mu·∇ᵀp),   p ← Π(p + ∇x/(8·mu)).
/// The dual is kept from call to call: images that come one after the other are alike,
/// and a few steps are enough.
class VariationProx {
 public:
  VariationProx(const ImageGrid& image, ThreadTeam& team);

  /// Bounds of every pixel; empty for none. They must outlive this.
  void set_bounds(std::span<const double> lower, std::span<const double> upper) {
    lower_ = lower, upper_ = upper;
  }
  void apply(const std::vector<double>& v, double mu, int steps, std::vector<double>& x);

  const std::vector<double>& dual() const { return dual_; }
  void set_dual(const std::vector<double>& dual) { dual_ = dual; }

 private:
  void image_row(Index i, const std::vector<double>& p, const std::vector<double>& v, double mu,
                 std::vector<double>& x) const;
  void ascend_row(Index i, const std::vector<double>& x, double step, double momentum);
  template <class Row>
  void for_rows(Row row);

  ImageGrid grid_;
  ThreadTeam& team_;
  std::span<const double> lower_, upper_;
  std::vector<double> dual_, ahead_;  // to the right, then below
};

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

/// Squared, weighted errors of an image at the rays that were held out.
using Squares = std::vector<double>;

/// mean(a − b) in standard errors of it, the rays being independent; 0 where there
/// is no difference.
double standard_errors_above(const Squares& a, const Squares& b);

class HeldOut {
 public:
  /// One of ten rays that count (`row_sums` and weight above 0), one of five where
  /// there are less than 10000, drawn by the seed.
  HeldOut(const Problem& problem, const std::vector<double>& row_sums, std::uint64_t seed);

  Index count() const { return std::ssize(rays_); }
  /// The weights of a fit without them.
  const std::vector<double>& weights() const { return weights_; }
  /// Of an image whose projections are these.
  Squares squares(const std::vector<double>& projections) const;
  /// √(Σ squares/Σ weights): the error of a ray of weight 1.
  double error(const Squares& squares) const;

 private:
  const Problem& problem_;
  std::vector<Index> rays_;
  std::vector<double> own_, weights_;  // own: of the rays that are held out
};

/// Which of the fits, from smooth to rough, predicts held-out rays best: the first
/// that is not worse than the best by more than two standard errors. Errors of the
/// pixel model are much alike in neighbouring rays, so that a rougher image predicts
/// them a little better without being a better one; two standard errors ignore that.
std::size_t smoothest_of_the_best(const std::vector<Squares>& fits);

/// The last fits are worse than the best by more: going on is of no use.
bool past_the_best(const std::vector<Squares>& fits);

}  // namespace polyak::tomography
