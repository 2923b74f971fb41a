#include <limits>

#include "method/krylov.hpp"

namespace polyak {
namespace {

// Conjugate gradients within bounds, from products with A alone (Dostál 1997, Friedlander,
// Martínez 1994). With H = ÃᵀWÃ + ridge and g = Hx − q, φ is g on the unknowns between
// their bounds, β the part of g at a bound that points inward. One of three steps:
//   ‖β‖ > ‖φ‖: x −= step·β, the minimiser along β: unknowns leave their bounds;
//   else x −= step·p with conjugate gradients among the free unknowns;
//   where that meets a bound: the projection of the whole step, if it lowers the objective
//   further than the part of the step up to the bound does, and that part otherwise.
// Each reads A once, the last one twice. f(y) − f(x) = ½(g(y) + g(x))ᵀ(y − x) needs no read.
// As in `cg`, g is a recursion that is taken from A again where it has fallen by `renewed`.
class BoundedCg final : public Method {
 public:
  explicit BoundedCg(const Setting& setting)
      : Method(setting, 3),  // x, the direction p, and g
        gradient_(setting_),
        v_(to_size(columns_ * d_)),
        q_(v_),
        part_x_(v_),
        curvature_(to_size(columns_)),
        lower_(to_size(d_), -std::numeric_limits<double>::infinity()),
        upper_(to_size(d_), std::numeric_limits<double>::infinity()),
        zeros_(to_size(columns_), 0.0) {
    state_.vectors.emplace_back(to_size(columns_));  // ‖φ + β‖²
    state_.vectors.emplace_back(to_size(columns_));  // … when g last came from A
    if (!setting_.problem.has_bounds()) return;
    lower_ = setting_.problem.lower();
    upper_ = setting_.problem.upper();
  }

  void advance(Index first, Index last) override {
    if (first == 0 && last > 0) begin();
    for (Index k = first; k < last; ++k) step();
    state_.iteration = last;
  }

  std::span<const double> gradient2() const override { return state_.vectors[3]; }

  bool finished() const override { return state_.iteration > 0 && stands_still(); }

 private:
  static constexpr double renewed = 1e-5;

  enum class Kind { none, release, conjugate, expand };

  double& x(Index c, Index j) { return state_.vectors[0][to_size(c * d_ + j)]; }
  double& p(Index c, Index j) { return state_.vectors[1][to_size(c * d_ + j)]; }
  double& g(Index c, Index j) { return state_.vectors[2][to_size(c * d_ + j)]; }
  bool at_lower(Index c, Index j) { return x(c, j) <= lower_[to_size(j)]; }
  bool at_upper(Index c, Index j) { return x(c, j) >= upper_[to_size(j)]; }

  double phi(Index c, Index j) { return at_lower(c, j) || at_upper(c, j) ? 0.0 : g(c, j); }
  double beta(Index c, Index j) {
    if (at_lower(c, j)) return at_upper(c, j) ? 0.0 : std::min(g(c, j), 0.0);
    return at_upper(c, j) ? std::max(g(c, j), 0.0) : 0.0;
  }

  bool stands_still() const {
    return std::all_of(state_.vectors[3].begin(), state_.vectors[3].end(),
                       [](double v) { return v == 0.0; });
  }

  void begin() {
    true_gradient();
    for (Index c = 0; c < columns_; ++c) {
      renew(c);
      restart(c);
    }
  }

  void true_gradient() {  // q_ = g(x)
    state_.row_products += gradient_(state_.iteration, block(0), view(q_));
  }

  void renew(Index c) {
    for (Index j = 0; j < d_; ++j) g(c, j) = view(q_)(c, j);
    measure(c);
    state_.vectors[4][to_size(c)] = state_.vectors[3][to_size(c)];
  }

  void restart(Index c) {
    for (Index j = 0; j < d_; ++j) p(c, j) = phi(c, j);
  }

  void measure(Index c) {
    double sum = 0.0;
    for (Index j = 0; j < d_; ++j) {
      const double v = phi(c, j) + beta(c, j);
      sum += v * v;
    }
    state_.vectors[3][to_size(c)] = sum;
  }

  // The direction of each right-hand side.
  Kind choose(Index c) {
    double free2 = 0.0, inward2 = 0.0;
    for (Index j = 0; j < d_; ++j) {
      free2 += phi(c, j) * phi(c, j);
      inward2 += beta(c, j) * beta(c, j);
    }
    const bool release = inward2 > free2;
    for (Index j = 0; j < d_; ++j) view(v_)(c, j) = release ? beta(c, j) : p(c, j);
    return release ? Kind::release : free2 > 0.0 ? Kind::conjugate : Kind::none;
  }

  // q_ = Hv and curvature_ = vᵀHv, as OneReadCg has it.
  void curve() {
    const Index n = setting_.problem.rows();
    for (double& value : v_) value *= unit_;
    setting_.products.full_gradient(view(v_), {zeros_.data(), n, columns_, 0}, view(q_),
                                    curvature_);
    for (double& value : v_) value /= unit_;
    state_.row_products += n;
    for (Index c = 0; has_ridge() && c < columns_; ++c) {
      curvature_[to_size(c)] += ridge_curvature(view(v_).row(c));
      for (Index j = 0; j < d_; ++j) view(q_)(c, j) += ridge(j) * view(v_)(c, j);
    }
  }

  void step() {
    if (stands_still()) return;
    std::vector<Kind> kinds;
    for (Index c = 0; c < columns_; ++c) kinds.push_back(choose(c));
    curve();
    bool stale = false;
    for (Index c = 0; c < columns_; ++c) stale = move(c, kinds[to_size(c)]) || stale;
    if (stale) true_gradient();
    for (Index c = 0; c < columns_; ++c) settle(c, kinds[to_size(c)]);
  }

  // The largest step along −v that stays within the bounds.
  double room(Index c) {
    double most = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < d_; ++j) {
      const double v = unit_ * view(v_)(c, j);
      if (v > 0.0) most = std::min(most, (x(c, j) - lower_[to_size(j)]) / v);
      if (v < 0.0) most = std::min(most, (x(c, j) - upper_[to_size(j)]) / v);
    }
    return most;
  }

  double clamped(Index j, double value) const {
    return std::clamp(value, lower_[to_size(j)], upper_[to_size(j)]);
  }

  // Returns whether g has to come from A.
  bool move(Index c, Kind& kind) {
    const double curvature = curvature_[to_size(c)];
    if (kind == Kind::none || !(curvature > 0.0)) {
      kind = Kind::none;
      return false;
    }
    double slope = 0.0;
    for (Index j = 0; j < d_; ++j) slope += g(c, j) * view(v_)(c, j);
    const double whole = slope / curvature, most = room(c), part = std::min(whole, most);
    if (kind == Kind::conjugate && !(whole < most)) kind = Kind::expand;
    for (Index j = 0; j < d_; ++j) {
      const double v = unit_ * view(v_)(c, j), from = x(c, j);
      x(c, j) = clamped(j, from - part * v);
      g(c, j) -= part * view(q_)(c, j);
      if (kind != Kind::expand) continue;
      view(part_x_)(c, j) = x(c, j);
      x(c, j) = clamped(j, from - whole * v);
    }
    if (kind == Kind::conjugate) turn(c, curvature);
    measure(c);
    return kind == Kind::expand || has_fallen(c);
  }

  // p = φ − (φᵀHp/pᵀHp)·p.
  void turn(Index c, double curvature) {
    double product = 0.0;
    for (Index j = 0; j < d_; ++j) product += phi(c, j) * view(q_)(c, j);
    for (Index j = 0; j < d_; ++j) p(c, j) = phi(c, j) - product / curvature * p(c, j);
  }

  bool has_fallen(Index c) {
    return state_.vectors[3][to_size(c)] < renewed * renewed * state_.vectors[4][to_size(c)];
  }

  void settle(Index c, Kind kind) {
    if (kind == Kind::none) return;
    if (kind == Kind::expand && !lower_than_part(c)) {
      for (Index j = 0; j < d_; ++j) x(c, j) = view(part_x_)(c, j);
      measure(c);
    } else if (kind == Kind::expand || has_fallen(c)) {
      renew(c);
    }
    if (kind != Kind::conjugate) restart(c);
  }

  // f(x) < f(part), where q_ = g(x) and g is that of the part.
  bool lower_than_part(Index c) {
    double change = 0.0;
    for (Index j = 0; j < d_; ++j)
      change += (view(q_)(c, j) + g(c, j)) * (x(c, j) - view(part_x_)(c, j));
    return change < 0.0;
  }

  GradientSource gradient_;
  std::vector<double> v_, q_, part_x_, curvature_, lower_, upper_;
  const std::vector<double> zeros_;
};

}  // namespace

std::unique_ptr<Method> make_bounded_cg(const Setting& setting) {
  return std::make_unique<BoundedCg>(setting);
}

}  // namespace polyak
