#include "sampling/batch_window.hpp"

#include <algorithm>
#include <limits>

namespace polyak {
namespace {

// Enough that a round of the team is small beside them; few enough that what
// the end of a run leaves unused is little, and all of them stay in cache.
Index iterations_at_once(Index batch) {
  constexpr Index draws = 1 << 14, most = 16;
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
    for (std::size_t t = 0; t < drawers_[0].rows().size(); ++t)
      sampler_.table().prefetch(random_.bits(static_cast<std::uint64_t>(k + i), t));
}

void BatchWindow::draw_from(Index k) {
  constexpr std::size_t few = 16;
  first_ = k;
  if (drawers_[0].rows().size() <= few) expect_from(k);
  if (drawers_.size() == 1) return drawers_[0].draw(random_, k);
  team_.run(std::ssize(drawers_), [&](Index i) { drawers_[to_size(i)].draw_alone(random_, k + i); });
}

}  // namespace polyak
