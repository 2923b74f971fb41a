#include "method/krylov.hpp"

namespace polyak {
namespace {

// Conjugate gradients on the normal equations with one fused read of A an
// iteration, where CGLS and LSQR need two:
//   q = ÃᵀWÃv + ridge·v;  step = ‖s‖²/(‖√WÃv‖² + ridge‖v‖²);
//   x += step·v;  s −= step·q;  v = s + (‖s‖²/‖s_old‖²)·v.
// The price: s = −g(x) is a recursion with no residual behind it, whose error
// stays while s falls. So where it has fallen by `renewed` it is taken from A
// again, one read more; what it meets is then true to rounding of g itself.
// Each right-hand side has its own scalars, and its own renewals.
class OneReadCg final : public Method {
 public:
  explicit OneReadCg(const Setting& setting)
      : Method(setting, 3),  // x, the direction v, and s
        gradient_(setting_),
        q_(to_size(columns_ * d_)),
        curvature_(to_size(columns_)),
        steps_(to_size(columns_)),
        zeros_(to_size(columns_), 0.0) {
    state_.vectors.emplace_back(to_size(columns_));  // ‖s‖²
    state_.vectors.emplace_back(to_size(columns_));  // … when it last came from A
  }

  void advance(Index first, Index last) override {
    if (first == 0 && last > 0) begin();
    for (Index k = first; k < last; ++k) step();
    state_.iteration = last;
  }

  std::span<const double> gradient2() const override { return state_.vectors[3]; }

  bool finished() const override {
    return state_.iteration > 0 && stands_still();
  }

 private:
  static constexpr double renewed = 1e-5;  // of ‖s‖: its error then is that of 11 digits

  std::vector<double>& norms() { return state_.vectors[3]; }
  std::vector<double>& known() { return state_.vectors[4]; }

  // Not before the first iteration: an x that meets the tolerance needs none of it.
  void begin() {
    true_gradient();
    for (Index c = 0; c < columns_; ++c) {
      renew(c);
      std::copy_n(block(2).row(c), d_, block(1).row(c));
      norms()[to_size(c)] = squares(block(2).row(c), d_);
    }
  }

  bool stands_still() const {
    return std::all_of(state_.vectors[3].begin(), state_.vectors[3].end(),
                       [](double s2) { return s2 == 0.0; });
  }

  void true_gradient() {  // q_ = g(x)
    state_.row_products += gradient_(state_.iteration, block(0), view(q_));
  }

  void renew(Index c) {
    for (Index j = 0; j < d_; ++j) block(2)(c, j) = -view(q_)(c, j);
    known()[to_size(c)] = squares(block(2).row(c), d_);
  }

  // q_ = (ÃᵀWÃ + ridge)v. In x's units v is unit·v, and its "residual" is Ãv;
  // b has no rows but one of zeros.
  void curve() {
    std::vector<double>& v = state_.vectors[1];
    const Index n = setting_.problem.rows();
    for (double& value : v) value *= unit_;
    setting_.products.full_gradient(block(1), {zeros_.data(), n, columns_, 0}, view(q_), curvature_);
    for (double& value : v) value /= unit_;
    state_.row_products += n;
    for (Index c = 0; has_ridge() && c < columns_; ++c) {
      curvature_[to_size(c)] += ridge_curvature(block(1).row(c));
      for (Index j = 0; j < d_; ++j) view(q_)(c, j) += ridge(j) * block(1)(c, j);
    }
  }

  void step() {
    if (stands_still()) return;
    curve();
    bool fallen = false;
    for (Index c = 0; c < columns_; ++c) {
      move(c);
      fallen = fallen || has_fallen(c);
    }
    if (fallen) true_gradient();
    for (Index c = 0; c < columns_; ++c) turn(c);
  }

  void move(Index c) {  // x += step·v, s −= step·q
    const std::size_t i = to_size(c);
    steps_[i] = curvature_[i] > 0.0 ? norms()[i] / curvature_[i] : 0.0;
    for (Index j = 0; j < d_; ++j) {
      block(0)(c, j) += unit_ * (steps_[i] * block(1)(c, j));
      block(2)(c, j) -= steps_[i] * view(q_)(c, j);
    }
  }

  bool has_fallen(Index c) {
    return squares(block(2).row(c), d_) < renewed * renewed * known()[to_size(c)];
  }

  // v = s + ratio·v; from s alone where the recursion proves to have been wrong.
  void turn(Index c) {
    const double promised = squares(block(2).row(c), d_);
    if (has_fallen(c)) renew(c);
    const double now = squares(block(2).row(c), d_), before = norms()[to_size(c)];
    const double ratio = before > 0.0 && now <= 4.0 * promised ? now / before : 0.0;
    for (Index j = 0; j < d_; ++j) block(1)(c, j) = block(2)(c, j) + ratio * block(1)(c, j);
    norms()[to_size(c)] = now;
  }

  GradientSource gradient_;
  std::vector<double> q_, curvature_, steps_;
  const std::vector<double> zeros_;
};

}  // namespace

std::unique_ptr<Method> make_one_read_cg(const Setting& setting) {
  return std::make_unique<OneReadCg>(setting);
}

}  // namespace polyak
