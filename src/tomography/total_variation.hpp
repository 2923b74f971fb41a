#pragma once

#include <span>
#include <vector>

#include "core/thread_team.hpp"
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

}  // namespace polyak::tomography
