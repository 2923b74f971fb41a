#include <utility>

#include "method/method.hpp"

namespace polyak {
namespace {

// The methods that take one gradient per iteration, full (gd, hbm, nag) or sampled
// (minibatch-sgd, minibatch-hbm, minibatch-nag), and differ only in the step.
class GradientMethod : public Method {
 public:
  void advance(Index first, Index last) final {
    for (Index k = first; k < last; ++k) step(k, unit_ * setting_.parameters.step_size(k));
    counters_.iteration = last;
  }

 protected:
  explicit GradientMethod(const Setting& setting)
      : Method(setting, Columns::used), source_(setting_, exchange_), g_(unknowns()) {}

  virtual void step(Index k, double alpha) = 0;

  /// g = g(x) of iteration k.
  const Block& gradient(Index k, const Block& x) {
    counters_.row_products += source_(k, x, g_);
    return g_;
  }

 private:
  GradientSource source_;
  Block g_;
};

// x_{k+1} = x_k − alpha_k g(x_k).
class GradientDescent final : public GradientMethod {
 public:
  explicit GradientDescent(const Setting& setting) : GradientMethod(setting) {}

 private:
  void step(Index k, double alpha) override {
    backend().gradient_step(alpha, gradient(k, x_), x_, columns());
    backend().clamp(x_);
  }
};

// The two methods with momentum remember x_{k−1}; x_1 = x_0.
class MomentumMethod : public GradientMethod {
 protected:
  explicit MomentumMethod(const Setting& setting)
      : GradientMethod(setting), previous_(saved_start()) {
    save_block(previous_);
  }

  double momentum(Index k) const { return setting_.parameters.momentum(k); }  // beta_k

  Block previous_;
};

// (HBM): x_{k+1} = x_k − alpha_k g(x_k) + beta_k (x_k − x_{k−1}).
// At beta = 0 it is gradient descent, bit for bit.
class HeavyBall final : public MomentumMethod {
 public:
  explicit HeavyBall(const Setting& setting) : MomentumMethod(setting) {}

 private:
  void step(Index k, double alpha) override {
    backend().heavy_ball_step(alpha, momentum(k), x_, gradient(k, x_), previous_, columns());
    backend().clamp(previous_);
    std::swap(x_, previous_);
  }
};

// (NAG): y_k = x_k + beta_k (x_k − x_{k−1}), x_{k+1} = y_k − alpha_k g(y_k).
class Nesterov final : public MomentumMethod {
 public:
  explicit Nesterov(const Setting& setting) : MomentumMethod(setting) {}

 private:
  void step(Index k, double alpha) override {
    const Block& y = previous_;  // holds x_{k−1}, then y_k, then x_{k+1}
    backend().extrapolate(momentum(k), x_, y, columns());
    backend().gradient_step(alpha, gradient(k, y), y, columns());
    backend().clamp(y);
    std::swap(x_, previous_);
  }
};

}  // namespace

std::unique_ptr<Method> make_gradient_descent(const Setting& setting) {
  return std::make_unique<GradientDescent>(setting);
}

std::unique_ptr<Method> make_heavy_ball(const Setting& setting) {
  return std::make_unique<HeavyBall>(setting);
}

std::unique_ptr<Method> make_nesterov(const Setting& setting) {
  return std::make_unique<Nesterov>(setting);
}

}  // namespace polyak
