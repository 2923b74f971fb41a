#include "method/krylov.hpp"

namespace polyak::internal {
namespace {

// Conjugate gradients on the normal equations in Hestenes and Stiefel's stable
// form, with the ridge term exact:
//   q = Ãp;  step = ‖s‖²/(‖q‖² + ridge‖p‖²);  x += step·p;  r −= step·q;
//   s = Ãᵀr − ridge·x̃;  p = s + (‖s‖²/‖s_old‖²)·p.
// Each right-hand side has its own scalars; all share the two reads of A.
class Cgls final : public Method {
 public:
  explicit Cgls(const Setting& setting)
      : Method(setting),
        n_(setting.problem.rows()),
        p_(unknowns()),
        s_(unknowns()),
        r_(equations()),
        q_(equations()),
        ridge_(diagonal(ridges())),
        s2_(to_size(vectors_)),
        ones_(to_size(vectors_), 1.0) {
    save_block(p_);
    save_block(r_);
    save_numbers(s2_);
    backend().residual(x_, r_);
    gradient();
    counters_.row_products = 2 * n_;
    backend().copy(s_, p_);
    s2_ = squares(backend(), s_);
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step();
    counters_.iteration = last;
  }

  std::span<const double> gradient2() const override { return s2_; }

  bool finished() const override {
    return std::none_of(s2_.begin(), s2_.end(), [](double s2) { return s2 > 0.0; });
  }

 private:
  void gradient() {  // s = Ãᵀr − ridge·x̃
    backend().multiply_transposed(r_, s_);
    if (has_ridge()) backend().add_diagonal(-1.0 / unit_, ridge_, x_, s_);
  }

  // ‖q‖² + ridge‖p‖².
  std::vector<double> curvature() {
    std::vector<double> out = squares(backend(), q_);
    if (!has_ridge()) return out;
    const std::vector<double> p = backend().host_copy(p_);
    for (Index c = 0; c < vectors_; ++c) out[to_size(c)] += ridge_curvature(p.data() + c * d_);
    return out;
  }

  void step() {
    if (finished()) return;
    backend().multiply(p_, q_);
    const std::vector<double> curvatures = curvature();
    std::vector<double> steps(to_size(vectors_), 0.0);
    for (std::size_t c = 0; c < steps.size(); ++c)
      if (curvatures[c] > 0.0) steps[c] = s2_[c] / curvatures[c];
    backend().axpby(scaled(steps, unit_), p_, ones_, x_);
    backend().axpby(negated(steps), q_, ones_, r_);
    gradient();
    turn();
    counters_.row_products += 2 * n_;
  }

  void turn() {  // p = s + ratio·p
    const std::vector<double> now = squares(backend(), s_);
    std::vector<double> ratio(now.size());
    for (std::size_t c = 0; c < now.size(); ++c) ratio[c] = s2_[c] > 0.0 ? now[c] / s2_[c] : 0.0;
    backend().axpby(ones_, s_, ratio, p_);
    s2_ = now;
  }

  Index n_;
  Block p_, s_, r_, q_;
  Block ridge_;             // of each unknown
  std::vector<double> s2_;  // ‖s‖²
  const std::vector<double> ones_;
};

}  // namespace

const MethodRecord& cgls_record() {
  static const MethodRecord record{
      .info = {"cgls", "conjugate gradients for least squares", trait::ridge, false},
      .make = construct<Cgls>,
      .reads_per_iteration = 2.0,
      .memory = memory_of_row_vectors,
      .krylov = true};
  return record;
}

}  // namespace polyak::internal
