#include "kernels/steps.hpp"
#include "method/method.hpp"

namespace polyak {
namespace {

// x_{k+1} = x_k − alpha_k g(x_k), with the full gradient (gd) or the sampled
// one (minibatch-sgd).
class GradientDescent final : public Method {
 public:
  explicit GradientDescent(const Setting& setting)
      : Method(setting, 1, Columns::touched),
        gradient_(setting_, exchange_),
        g_(to_size(columns_ * d_)) {}

  void advance(Index first, Index last) override {
    const View x = block(0), g = view(g_);
    for (Index k = first; k < last; ++k) {
      state_.row_products += gradient_(k, x, g);
      const double alpha = unit_ * setting_.parameters.step_size(k);
      for_kept([&](Index from, Index count) {
        kernels::gradient_step(count, alpha, g.data + from, x.data + from);
      });
      project(x);
    }
    state_.iteration = last;
  }

 private:
  GradientSource gradient_;
  std::vector<double> g_;
};

}  // namespace

std::unique_ptr<Method> make_gradient_descent(const Setting& setting) {
  return std::make_unique<GradientDescent>(setting);
}

}  // namespace polyak
