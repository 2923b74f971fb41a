#include <algorithm>
#include <cmath>

#include "method/record.hpp"

namespace polyak::internal {
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
        v_(saved_start()) {
    save_block(v_);
    save_numbers(gamma_);
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; k += chunk) {
      const std::span rows(rows_, to_size(std::min(last, k + chunk) - k));
      setting_.sampler->draw_sequence(random_, k, rows);
      for (std::size_t t = 0; t < rows.size(); ++t) steps_[t] = next_step(rows[t]);
      backend().accelerated_row_steps(rows, std::span(steps_).first(rows.size()), unit_, x_, v_);
    }
    restore_zero_columns();
    counters_.row_products += last - first;
    counters_.iteration = last;
  }

 private:
  static constexpr Index chunk = 1024;

  AcceleratedStep next_step(Index row) {
    const auto& w = problem().weights();
    const double own = w.empty() ? 1.0 : w[to_size(row)];
    const double step = own / setting_.facts.norms2[to_size(row)];
    const double mu = setting_.parameters.mu, nu = setting_.parameters.nu;
    double& gamma = gamma_[0];
    const double half = 0.5 * (1.0 / nu - mu * gamma * gamma);
    gamma = half + std::sqrt(half * half + gamma * gamma);
    // One column: nu = mu and the weights are 0/0; the step is Kaczmarz's.
    if (nu - mu <= 1e-12 * nu) return {step, 0.0, 0.0, 1.0};
    return {step, (1.0 - gamma * mu) / (gamma * (nu - mu)), 1.0 - gamma * mu, gamma};
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
  Block v_;
  std::vector<double> gamma_ = {0.0};  // gamma_{k−1}
  Index rows_[chunk];
  AcceleratedStep steps_[chunk];
};

// Errata E11: mu = lambda_min/‖A‖_F², nu from the rows' leverage.
void complete_accelerated(const PlanInputs& in, ChosenParameters& p) {
  p.mu = in.lambda_min / in.facts.frobenius2;
  p.nu = std::max(coherence_nu(in.problem, in.facts, in.team), *p.mu);
  p.rows_read = 2.0 * static_cast<double>(in.problem.rows());
}

double accelerated_rate(const PlanInputs&, const ChosenParameters& p) {
  return std::sqrt(1.0 - std::sqrt(*p.mu / *p.nu));
}

}  // namespace

const MethodRecord& accelerated_kaczmarz_record() {
  static const MethodRecord record{
      .info = {"ark", "accelerated randomized Kaczmarz", trait::lambda_min, true},
      .make = construct<AcceleratedKaczmarz>,
      .plan = {
          .complete = complete_accelerated, .rate = accelerated_rate, .proved_when_sampled = true}};
  return record;
}

}  // namespace polyak::internal
