#pragma once

// Total variation: the proximal map, the penalised least squares fit, and the choice of the
// smoothing by held-out rays.

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "matrix/products.hpp"
#include "polyak/problem.hpp"
#include "polyak/tomography.hpp"

namespace polyak::tomography::internal {

/// argmin ½‖x − v‖² + mu·TV(x) within bounds, TV(x) = Σ_j |∇x|_j with ∇ the differences
/// to the pixels on the right and below, by fast gradient projection on the dual
/// (Beck and Teboulle, IEEE Trans. Image Process. 18, 2009): with |p_j| ≤ 1,
///   x = P(v − mu·∇ᵀp),   p ← Π(p + ∇x/(8·mu)).
/// The dual p is kept from call to call: successive images are similar, so few steps suffice.
class VariationProx {
 public:
  VariationProx(const ImageGrid& image, polyak::internal::ThreadTeam& team);

  /// Bounds of every pixel, or empty. The arrays must outlive this object.
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
  polyak::internal::ThreadTeam& team_;
  std::span<const double> lower_, upper_;
  std::vector<double> dual_, ahead_;  // horizontal part, then vertical part
};

/// Least squares with a total variation penalty,
///   ½ Σ w_i (a_iᵀx − b_i)² + λ·TV(x)   within bounds,
/// by FISTA (Beck and Teboulle, 2009), restarted where the momentum points uphill (O'Donoghue and
/// Candès, 2015). The step is 1/L with L = max_j (AᵀWA·1)_j, which is at least lambda_max because A
/// has no negative entries.
class SmoothFit {
 public:
  SmoothFit(polyak::internal::Products& products, ConstView b, const ImageGrid& image);

  void begin(std::vector<double> x);
  void set_bounds(std::span<const double> lower, std::span<const double> upper) {
    prox_.set_bounds(lower, upper);
  }
  /// One iteration; returns √L·‖change of x‖, an upper bound of ‖√W·A·(change of x)‖.
  double step(double lambda);

  const std::vector<double>& x() const { return x_; }
  double curvature() const { return curvature_; }  ///< L

  /// The state for a snapshot: x, the extrapolated point, the dual, the momentum.
  std::vector<std::vector<double>> state() const { return {x_, ahead_, prox_.dual(), {momentum_}}; }
  void set_state(const std::vector<std::vector<double>>& state);

 private:
  polyak::internal::Products& products_;
  ConstView b_;
  VariationProx prox_;
  std::vector<double> x_, ahead_, next_, g_;
  double curvature_, momentum_ = 1.0;
};

/// Squared, weighted prediction errors of an image, one per held-out ray.
using Squares = std::vector<double>;

/// mean(a − b) in units of its standard error, for independent rays; 0 if a equals b.
double standard_errors_above(const Squares& a, const Squares& b);

/// Rays that are left out of a fit and used to validate it: a fit that follows the noise predicts
/// them worse.
class HeldOut {
 public:
  /// Draws one of ten rays with positive row sum and weight, one of five if there are fewer than
  /// 10000.
  HeldOut(const Problem& problem, const std::vector<double>& row_sums, std::uint64_t seed);

  Index count() const { return std::ssize(rays_); }
  /// The weights for a fit without the held-out rays: theirs are 0.
  const std::vector<double>& weights() const { return weights_; }
  /// The prediction errors of an image with these projections.
  Squares squares(const std::vector<double>& projections) const;
  /// √(Σ squares/Σ weights): the error of a ray of weight 1.
  double error(const Squares& squares) const;

 private:
  const Problem& problem_;
  std::vector<Index> rays_;
  std::vector<double> own_, weights_;  // own_: weights of the held-out rays
};

/// The index of the chosen fit; the fits are ordered from smooth to rough. It is the first whose
/// prediction error exceeds that of the best fit by at most two standard errors. The errors of the
/// pixel model are similar in neighbouring rays, so a rougher image predicts them slightly better
/// without being better; two standard errors allow for that.
std::size_t smoothest_of_the_best(const std::vector<Squares>& fits);

/// True if the last fits are clearly worse than the best one, so that rougher fits are not needed.
bool past_the_best(const std::vector<Squares>& fits);

}  // namespace polyak::tomography::internal
