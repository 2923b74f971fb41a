#include "sampling/batch_drawer.hpp"

#include <algorithm>

#include "sampling/batch_steps.hpp"

namespace polyak {
namespace {

constexpr Index chunk_size = 1024;  // draws, at least: a chunk costs some microseconds

// Two for each thread, so that one that is held up can be helped.
std::size_t chunk_count(Index batch, const ThreadTeam& team) {
  return to_size(std::clamp<Index>(batch / chunk_size, 1, 2 * team.size()));
}

}  // namespace

BatchDrawer::BatchDrawer(const Sampler& sampler, Index batch, std::span<const double> own,
                         ThreadTeam& team)
    : sampler_(sampler),
      own_(own),
      team_(team),
      rows_(to_size(batch)),
      scratch_(rows_.size()),
      weights_(rows_.size()),
      chunks_(chunk_count(batch, team)),
      places_(chunks_ * BatchSteps::buckets(rows_.size())) {}

template <class Run>
void BatchDrawer::draw_by(Run run, const Random& random, Index k) {
  const Weighing by{own_.empty() ? nullptr : own_.data(),
                    1.0 / static_cast<double>(rows_.size())};
  const BatchSteps steps{sampler_.table(), random, static_cast<std::uint64_t>(k), rows_, scratch_,
                         weights_.data(),  by,     chunks_, places_.data()};
  steps.all(run);
}

void BatchDrawer::draw(const Random& random, Index k) {
  draw_by([this](Index count, auto body) { team_.run(count, body); }, random, k);
}

void BatchDrawer::draw_alone(const Random& random, Index k) {
  const auto in_turn = [](Index count, auto body) {
    for (Index i = 0; i < count; ++i) body(i);
  };
  draw_by(in_turn, random, k);
}

}  // namespace polyak
