#include <algorithm>

#include "method/method.hpp"

namespace polyak {

GradientSource::GradientSource(const Setting& setting)
    : setting_(setting),
      random_(setting.parameters.seed, stream::sampling + setting.parameters.stream),
      residual2_(to_size(setting.problem.right_hand_sides())),
      // g̃ is in units of Ã and b̃, x in the user's: x̃ = x·scale.b/scale.a.
      ridge_step_(setting.problem.ridge() * setting.facts.scale.a * setting.facts.scale.b) {
  if (!setting.sampler) return;
  rows_.resize(to_size(setting.parameters.batch));
  scratch_.resize(rows_.size());
  weights_.resize(rows_.size());
}

Index GradientSource::operator()(Index k, ConstView x, View g) {
  const Index read = setting_.sampler ? sampled(k, x, g) : full(x, g);
  if (ridge_step_ > 0.0) {
    for (Index c = 0; c < g.rows; ++c)
      for (Index j = 0; j < g.cols; ++j) g(c, j) += ridge_step_ * x(c, j);
  }
  return read;
}

Index GradientSource::sampled(Index k, ConstView x, View g) {
  const Sampler& sampler = *setting_.sampler;
  sampler.draw_batch(random_, k, rows_, scratch_);
  const auto& w = setting_.problem.weights();
  const double over_batch = 1.0 / static_cast<double>(rows_.size());
  for (std::size_t t = 0; t < rows_.size(); ++t) {
    const double own = w.empty() ? 1.0 : w[to_size(rows_[t])];
    weights_[t] = own * over_batch / sampler.probability(rows_[t]);
  }
  setting_.products.gradient(rows_, weights_, x, setting_.problem.b(), g);
  return std::ssize(rows_);
}

Index GradientSource::full(ConstView x, View g) {
  setting_.products.full_gradient(x, setting_.problem.b(), g, residual2_);
  return setting_.problem.rows();
}

}  // namespace polyak
