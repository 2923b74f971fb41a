#include <utility>

#include "kernels/steps.hpp"
#include "method/method.hpp"

namespace polyak {
namespace {

// (HBM): x_{k+1} = x_k − alpha_k g(x_k) + beta_k (x_k − x_{k−1}), x_1 = x_0,
// with the full gradient (hbm) or the paper's minibatch one (minibatch-hbm).
// At beta = 0 it is gradient descent, bit for bit.
class HeavyBall final : public Method {
 public:
  explicit HeavyBall(const Setting& setting)
      : Method(setting, 2, Columns::touched),
        gradient_(setting_, exchange_),
        g_(to_size(columns_ * d_)) {}

  void advance(Index first, Index last) override {
    const View g = view(g_);
    for (Index k = first; k < last; ++k) {
      const View x = block(0), previous = block(1);
      state_.row_products += gradient_(k, x, g);
      const double alpha = unit_ * setting_.parameters.step_size(k);
      const double beta = setting_.parameters.momentum(k);
      for_kept([&](Index from, Index count) {
        kernels::heavy_ball_step(count, alpha, beta, x.data + from, g.data + from,
                                 previous.data + from);
      });
      project(previous);
      std::swap(state_.vectors[0], state_.vectors[1]);
    }
    state_.iteration = last;
  }

 private:
  GradientSource gradient_;
  std::vector<double> g_;
};

}  // namespace

std::unique_ptr<Method> make_heavy_ball(const Setting& setting) {
  return std::make_unique<HeavyBall>(setting);
}

}  // namespace polyak
