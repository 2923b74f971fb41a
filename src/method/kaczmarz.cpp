#include <algorithm>

#include "method/method.hpp"

namespace polyak {
namespace {

// One row a step, in order, on one thread:
//   x_{k+1} = x_k − (alpha_k w_j/p_j)(a_jᵀx_k − b_j) a_j.
// With row-norm sampling and alpha = 1/‖A‖_F² the factor is 1/‖a_j‖² and the
// step lands on the sampled equation (errata E3): that is randomized Kaczmarz,
// which takes 1/‖a_j‖² as it is rather than through p_j.
class Kaczmarz final : public Method {
 public:
  explicit Kaczmarz(const Setting& setting)
      : Method(setting),
        random_(setting.parameters.seed, stream::sampling + setting.parameters.stream) {}

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; k += chunk) take_steps(k, std::min(last, k + chunk));
    counters_.row_products += last - first;
    counters_.iteration = last;
  }

 private:
  static constexpr Index chunk = 1024;

  void take_steps(Index first, Index last) {
    const std::size_t count = to_size(last - first);
    const std::span rows(rows_, count);
    setting_.sampler->draw_sequence(random_, first, rows);
    for (std::size_t t = 0; t < count; ++t)
      steps_[t] = step(first + static_cast<Index>(t), rows[t]);
    if (first == 0) backend().clamp(x_);  // steps keep x within the bounds from then on
    backend().row_steps(rows, std::span<const double>(steps_, count), x_);
  }

  double step(Index k, Index j) const {
    const auto& w = setting_.problem.weights();
    const double own = w.empty() ? 1.0 : w[to_size(j)];
    if (setting_.parameters.land_on_rows) return own / setting_.facts.norms2[to_size(j)];
    return setting_.parameters.step_size(k) * own / setting_.sampler->probability(j);
  }

  Random random_;
  Index rows_[chunk];
  double steps_[chunk];
};

}  // namespace

std::unique_ptr<Method> make_kaczmarz(const Setting& setting) {
  // A ridge term moves all of x in every step: then it is a gradient step like
  // any other, with batch 1.
  if (setting.problem.ridge() > 0.0) return make_gradient_descent(setting);
  return std::make_unique<Kaczmarz>(setting);
}

}  // namespace polyak
