#include <algorithm>
#include <cmath>

#include "method/method.hpp"

namespace polyak {
namespace {

// ARK(mu, nu), errata E11. With gamma_k the larger root of
//   g² − g/nu = (1 − g·mu)·gamma_{k−1}²,  gamma_{−1} = 0,
//   al = (1 − g·mu)/(g(nu − mu)),  be = 1 − g·mu:
//   y = al·v + (1 − al)·x;  s = a_j(a_jᵀy − b_j)/‖a_j‖²;
//   x = y − s;  v = be·v + (1 − be)·y − g·s.
// Rows by their norms. nu = n and mu = lambda_min/n on unit rows is Liu and
// Wright's method. Converges in mean square by 1 − √(mu/nu) a step.
class AcceleratedKaczmarz final : public Method {
 public:
  explicit AcceleratedKaczmarz(const Setting& setting)
      : Method(setting, 2),
        random_(setting.parameters.seed, stream::sampling + setting.parameters.stream),
        y_(to_size(columns_ * d_)),
        s_(y_.size()) {
    state_.vectors.push_back({0.0});  // gamma_{k−1}
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; k += chunk) {
      const std::span rows(rows_, to_size(std::min(last, k + chunk) - k));
      setting_.sampler->draw_sequence(random_, k, rows);
      for (Index row : rows) step(row);
    }
    // Not even rounding moves what A does not see.
    for (Index j : setting_.facts.zero_columns)
      for (Index c = 0; c < columns_; ++c)
        block(0)(c, j) = block(1)(c, j) = setting_.problem.x0()(c, j);
    state_.row_products += last - first;
    state_.iteration = last;
  }

 private:
  static constexpr Index chunk = 1024;

  struct Weights {
    double al, be, g;
  };

  Weights next_weights() {
    const double mu = setting_.parameters.mu, nu = setting_.parameters.nu;
    double& gamma = state_.vectors[2][0];
    const double half = 0.5 * (1.0 / nu - mu * gamma * gamma);
    gamma = half + std::sqrt(half * half + gamma * gamma);
    // One column: nu = mu and the weights are 0/0; the step is Kaczmarz's.
    if (nu - mu <= 1e-12 * nu) return {0.0, 0.0, 1.0};
    return {(1.0 - gamma * mu) / (gamma * (nu - mu)), 1.0 - gamma * mu, gamma};
  }

  void step(Index row) {
    const auto [al, be, g] = next_weights();
    const View x = block(0), v = block(1);
    for (Index i = 0; i < x.size(); ++i)
      y_[to_size(i)] = al * v.data[i] + (1.0 - al) * x.data[i];
    std::fill(s_.begin(), s_.end(), 0.0);
    const auto& w = setting_.problem.weights();
    const double a = setting_.facts.scale.a;
    const double own = w.empty() ? 1.0 : w[to_size(row)];
    const double weight = own / setting_.facts.norms2[to_size(row)];
    setting_.products.A().gradient({&row, 1}, {&weight, 1}, {a, 1.0}, view(y_),
                                   setting_.problem.b(), view(s_));
    for (Index i = 0; i < x.size(); ++i) {
      const double y = y_[to_size(i)], s = a * s_[to_size(i)];
      x.data[i] = y - s;
      v.data[i] = (be * v.data[i] + (1.0 - be) * y) - g * s;
    }
  }

  Random random_;
  std::vector<double> y_, s_;
  Index rows_[chunk];
};

}  // namespace

std::unique_ptr<Method> make_accelerated_kaczmarz(const Setting& setting) {
  return std::make_unique<AcceleratedKaczmarz>(setting);
}

}  // namespace polyak
