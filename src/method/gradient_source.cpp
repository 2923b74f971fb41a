#include "method/method.hpp"

namespace polyak {
namespace {

// Batches up to this size are processed before memory has delivered their rows; larger
// ones are prefetched by the kernel. Measured: at four rows it gains nothing.
constexpr Index largest_prefetched_batch = 2;

}  // namespace

GradientSource::GradientSource(const Setting& setting, ColumnExchange* exchange)
    : setting_(setting),
      exchange_(exchange),
      one_rank_(partition(setting.problem.A()).ranks() == 1),
      residual2_(to_size(setting.problem.right_hand_sides())) {
  if (setting.problem.ridge() > 0.0) {
    const Index d = setting.problem.cols();
    std::vector<double> ridge(to_size(d));
    for (Index j = 0; j < d; ++j)
      ridge[to_size(j)] = setting.problem.ridge(j) * setting.facts.scale.a;
    ridge_ = setting.backend.make(Block::Kind::unknowns, 1);
    setting.backend.write({ridge.data(), 1, d, d}, ridge_);
  }
  if (!setting.sampler) return;
  const Parameters& p = setting.parameters;
  for (Index r = 0; r < p.replicates; ++r) {
    const Random random(p.seed, stream::sampling + p.stream + static_cast<std::uint64_t>(r));
    draws_.emplace_back(*setting.sampler, p.batch, setting.problem.weights(), setting.team, random);
  }
  batches_.resize(draws_.size());
}

// The ridge term in units of g̃: x̃ = x·scale.b/scale.a, so ridge·scale.a·scale.b·x.
Index GradientSource::operator()(Index k, const Block& x, const Block& g) {
  const Index read = setting_.sampler ? sampled(k, x, g) : full(x, g);
  if (setting_.problem.ridge() > 0.0)
    setting_.backend.add_diagonal(setting_.facts.scale.b, ridge_, x, g);
  return read;
}

void GradientSource::prefetch(const BatchDrawer* next) const {
  if (next && one_rank_) setting_.backend.prefetch(next->rows());
}

Index GradientSource::sampled(Index k, const Block& x, const Block& g) {
  for (std::size_t r = 0; r < draws_.size(); ++r) {
    const BatchDrawer& drawn = draws_[r].at(k);
    batches_[r] = {drawn.rows(), drawn.weights()};
    if (setting_.parameters.batch <= largest_prefetched_batch) prefetch(draws_[r].drawn(k + 1));
  }
  setting_.backend.batch_gradient(batches_, x, g, exchange_);
  return std::ssize(batches_) * setting_.parameters.batch;
}

Index GradientSource::full(const Block& x, const Block& g) {
  setting_.backend.full_gradient(x, g, residual2_, exchange_);
  return setting_.problem.rows();
}

}  // namespace polyak
