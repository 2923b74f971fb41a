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
      : Method(setting),
        random_(setting.parameters.seed, stream::sampling + setting.parameters.stream),
        v_(saved_start()),
        y_(unknowns()),
        s_(unknowns()) {
    save_block(v_);
    save_numbers(gamma_);
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; k += chunk) {
      const std::span rows(rows_, to_size(std::min(last, k + chunk) - k));
      setting_.sampler->draw_sequence(random_, k, rows);
      for (Index row : rows) step(row);
    }
    restore_zero_columns();
    counters_.row_products += last - first;
    counters_.iteration = last;
  }

 private:
  static constexpr Index chunk = 1024;

  struct Weights {
    double al, be, g;
  };

  Weights next_weights() {
    const double mu = setting_.parameters.mu, nu = setting_.parameters.nu;
    double& gamma = gamma_[0];
    const double half = 0.5 * (1.0 / nu - mu * gamma * gamma);
    gamma = half + std::sqrt(half * half + gamma * gamma);
    // One column: nu = mu and the weights are 0/0; the step is Kaczmarz's.
    if (nu - mu <= 1e-12 * nu) return {0.0, 0.0, 1.0};
    return {(1.0 - gamma * mu) / (gamma * (nu - mu)), 1.0 - gamma * mu, gamma};
  }

  void step(Index row) {
    const auto [al, be, g] = next_weights();
    backend().copy(v_, y_);
    backend().axpby(1.0 - al, x_, al, y_);
    const auto& w = problem().weights();
    const double own = w.empty() ? 1.0 : w[to_size(row)];
    const double weight = own / setting_.facts.norms2[to_size(row)];
    const Batch one{{&row, 1}, {&weight, 1}};
    backend().batch_gradient({&one, 1}, y_, s_, nullptr);  // s/unit
    backend().copy(y_, x_);
    backend().axpby(-unit_, s_, 1.0, x_);
    backend().axpby(1.0 - be, y_, be, v_);
    backend().axpby(-g * unit_, s_, 1.0, v_);
  }

  // Rounding must not move the unknowns of zero columns.
  void restore_zero_columns() {
    const ConstView x0 = problem().x0();
    for (Index j : setting_.facts.zero_columns)
      for (Index c = 0; c < vectors_; ++c) {
        backend().set(x_.vector(c), {&j, 1}, x0(c, j));
        backend().set(v_.vector(c), {&j, 1}, x0(c, j));
      }
  }

  Random random_;
  Block v_, y_, s_;
  std::vector<double> gamma_ = {0.0};  // gamma_{k−1}
  Index rows_[chunk];
};

}  // namespace

std::unique_ptr<Method> make_accelerated_kaczmarz(const Setting& setting) {
  return std::make_unique<AcceleratedKaczmarz>(setting);
}

}  // namespace polyak
