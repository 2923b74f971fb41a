#include "method/method.hpp"

namespace polyak {
namespace {

constexpr Index few = 2;  // rows of a batch; measured: for four it gains nothing

}  // namespace

GradientSource::GradientSource(const Setting& setting, ColumnExchange* columns)
    : setting_(setting),
      columns_(columns),
      residual2_(to_size(setting.problem.right_hand_sides())) {
  if (!setting.sampler) return;
  const Parameters& p = setting.parameters;
  for (Index r = 0; r < p.replicates; ++r) {
    const Random random(p.seed, stream::sampling + p.stream + static_cast<std::uint64_t>(r));
    draws_.emplace_back(*setting.sampler, p.batch, setting.problem.weights(),
                        setting.products.team(), random);
  }
  batches_.resize(draws_.size());
}

Index GradientSource::operator()(Index k, ConstView x, View g) {
  const Index read = setting_.sampler ? sampled(k, x, g) : full(x, g);
  if (setting_.problem.ridge() > 0.0) {
    // g̃ is in units of Ã and b̃, x in the user's: x̃ = x·scale.b/scale.a.
    const Scale scale = setting_.facts.scale;
    const ColumnRange kept = columns_ ? columns_->held() : ColumnRange{0, g.cols};
    for (Index c = 0; c < g.rows; ++c)
      for (Index j = kept.first; j < kept.last; ++j)
        g(c, j) += setting_.problem.ridge(j) * scale.a * scale.b * x(c, j);
  }
  return read;
}

// A row or two are gone through before memory has answered: ask for those of
// the next iteration now. A kernel looks ahead by itself in longer lists.
void GradientSource::expect(const BatchDrawer* next) const {
  if (!next || setting_.products.A().share().ranks > 1) return;
  setting_.products.A().expect(next->rows());
  for (const Index i : next->rows()) __builtin_prefetch(setting_.problem.b().row(i));
}

Index GradientSource::sampled(Index k, ConstView x, View g) {
  for (std::size_t r = 0; r < draws_.size(); ++r) {
    const BatchDrawer& drawn = draws_[r].at(k);
    batches_[r] = {drawn.rows(), drawn.weights()};
    if (setting_.parameters.batch <= few) expect(draws_[r].drawn(k + 1));
  }
  setting_.products.gradients(batches_, x, setting_.problem.b(), g, columns_);
  return std::ssize(batches_) * setting_.parameters.batch;
}

Index GradientSource::full(ConstView x, View g) {
  setting_.products.full_gradient(x, setting_.problem.b(), g, residual2_, columns_);
  return setting_.problem.rows();
}

}  // namespace polyak
