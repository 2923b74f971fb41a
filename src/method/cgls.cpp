#include "method/krylov.hpp"

namespace polyak {
namespace {

// Conjugate gradients on the normal equations in Hestenes and Stiefel's stable
// form, with the ridge term exact:
//   q = Ãp;  step = ‖s‖²/(‖q‖² + ridge‖p‖²);  x += step·p;  r −= step·q;
//   s = Ãᵀr − ridge·x̃;  p = s + (‖s‖²/‖s_old‖²)·p.
// Each right-hand side has its own scalars; all share the two reads of A.
class Cgls final : public Method {
 public:
  explicit Cgls(const Setting& setting)
      : Method(setting, 2),  // x and the direction p
        n_(setting.problem.rows()),
        s_(to_size(columns_ * d_)),
        q_(to_size(n_ * columns_)) {
    state_.vectors.emplace_back(to_size(n_ * columns_));  // the residual r
    state_.vectors.emplace_back(to_size(columns_));       // ‖s‖²
    start_residual(setting_, block(0), residual());
    gradient();
    state_.row_products = 2 * n_;
    for (Index c = 0; c < columns_; ++c) {
      std::copy_n(view(s_).row(c), d_, block(1).row(c));
      norms()[to_size(c)] = squares(view(s_).row(c), d_);
    }
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step();
    state_.iteration = last;
  }

  SolverState whole_state() const override {
    SolverState out = state_;
    gather_rows(setting_.problem.A(), columns_, out.vectors[2]);
    return out;
  }

  std::span<const double> gradient2() const override { return state_.vectors[3]; }

  bool finished() const override {
    for (double s2 : state_.vectors[3])
      if (s2 > 0.0) return false;
    return true;
  }

 private:
  View residual() { return {state_.vectors[2].data(), n_, columns_, columns_}; }
  std::vector<double>& norms() { return state_.vectors[3]; }

  void gradient() {  // s = Ãᵀr − ridge·x̃
    setting_.products.transposed(residual(), view(s_));
    const ConstView x = block(0);
    for (Index c = 0; c < columns_ && has_ridge(); ++c)
      for (Index j = 0; j < d_; ++j) view(s_)(c, j) -= ridge(j) * (x(c, j) / unit_);
  }

  void step() {
    if (finished()) return;
    const View q{q_.data(), n_, columns_, columns_};
    setting_.products.multiply(block(1), q);
    const std::vector<double> q2 = column_squares(setting_.products, q);
    std::vector<double> steps(to_size(columns_), 0.0);
    for (Index c = 0; c < columns_; ++c) {
      const double curvature = q2[to_size(c)] + ridge_curvature(block(1).row(c));
      if (curvature > 0.0) steps[to_size(c)] = norms()[to_size(c)] / curvature;
      for (Index j = 0; j < d_; ++j)
        block(0)(c, j) += unit_ * (steps[to_size(c)] * block(1)(c, j));
    }
    const View r = residual();
    setting_.products.for_row_chunks([&](Index, Index first, Index last) {
      for (Index i = first; i < last; ++i)
        for (Index c = 0; c < columns_; ++c) r(i, c) -= steps[to_size(c)] * q(i, c);
    });
    gradient();
    for (Index c = 0; c < columns_; ++c) turn(c);
    state_.row_products += 2 * n_;
  }

  void turn(Index c) {  // p = s + ratio·p
    const double* s = view(s_).row(c);
    const double now = squares(s, d_), before = norms()[to_size(c)];
    const double ratio = before > 0.0 ? now / before : 0.0;
    for (Index j = 0; j < d_; ++j) block(1)(c, j) = s[j] + ratio * block(1)(c, j);
    norms()[to_size(c)] = now;
  }

  Index n_;
  std::vector<double> s_;
  RowNumbers q_;
};

}  // namespace

std::unique_ptr<Method> make_cgls(const Setting& setting) {
  return std::make_unique<Cgls>(setting);
}

}  // namespace polyak
