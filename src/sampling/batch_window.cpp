#include "sampling/batch_window.hpp"

#include <algorithm>
#include <limits>

namespace polyak {
namespace {

constexpr Index tiny = 4;  // draws: less work than a round of the team

// Enough that a round of the team is small beside them; few enough that what
// the end of a run leaves unused is little, and all of them stay in cache.
Index iterations_at_once(Index batch) {
  constexpr Index draws = 1 << 14;
  const Index most = batch <= tiny ? 64 : 16;
  return std::clamp<Index>(draws / std::max<Index>(1, batch), 1, most);
}

}  // namespace

BatchWindow::BatchWindow(const Sampler& sampler, Index batch, std::span<const double> own,
                         ThreadTeam& team, const Random& random)
    : sampler_(sampler), team_(team), random_(random), first_(std::numeric_limits<Index>::max() / 2) {
  for (Index i = 0; i < iterations_at_once(batch); ++i)
    drawers_.emplace_back(sampler, batch, own, team);
}

// Tiny batches have too few look-ups each to hide one behind the other.
void BatchWindow::expect_from(Index k) const {
  for (Index i = 0; i < std::ssize(drawers_); ++i)
    for (std::size_t t = 0; t < to_size(drawers_[0].batch()); ++t)
      sampler_.table().prefetch(random_.bits(static_cast<std::uint64_t>(k + i), t));
}

void BatchWindow::draw_from(Index k) {
  constexpr Index few = 16;
  first_ = k;
  if (sampler_.whole() && drawers_[0].batch() <= few) expect_from(k);
  if (drawers_.size() == 1) return drawers_[0].draw(random_, k);
  const auto draw = [&](Index i) { drawers_[to_size(i)].draw_alone(random_, k + i); };
  if (drawers_[0].batch() > tiny) return team_.run(std::ssize(drawers_), draw);
  for (Index i = 0; i < std::ssize(drawers_); ++i) draw(i);
}

}  // namespace polyak
