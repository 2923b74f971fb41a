#include <utility>

#include "kernels/steps.hpp"
#include "method/method.hpp"

namespace polyak {
namespace {

// (NAG): y_k = x_k + beta_k (x_k − x_{k−1}), x_{k+1} = y_k − alpha_k g(y_k),
// x_1 = x_0, with the full gradient (nag) or the sampled one (minibatch-nag).
class Nesterov final : public Method {
 public:
  explicit Nesterov(const Setting& setting)
      : Method(setting, 2, Columns::touched),
        gradient_(setting_, exchange_),
        g_(to_size(columns_ * d_)) {}

  void advance(Index first, Index last) override {
    const View g = view(g_);
    for (Index k = first; k < last; ++k) {
      const View x = block(0), y = block(1);  // block 1 holds x_{k−1}, then y, then x_{k+1}
      const double beta = setting_.parameters.momentum(k);
      for_kept([&](Index from, Index count) {
        kernels::extrapolate(count, beta, x.data + from, y.data + from);
      });
      state_.row_products += gradient_(k, y, g);
      const double alpha = unit_ * setting_.parameters.step_size(k);
      for_kept([&](Index from, Index count) {
        kernels::gradient_step(count, alpha, g.data + from, y.data + from);
      });
      project(y);
      std::swap(state_.vectors[0], state_.vectors[1]);
    }
    state_.iteration = last;
  }

 private:
  GradientSource gradient_;
  std::vector<double> g_;
};

}  // namespace

std::unique_ptr<Method> make_nesterov(const Setting& setting) {
  return std::make_unique<Nesterov>(setting);
}

}  // namespace polyak
