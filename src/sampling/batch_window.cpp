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
    : team_(team), random_(random), first_(std::numeric_limits<Index>::max() / 2) {
  for (Index i = 0; i < iterations_at_once(batch); ++i)
    drawers_.emplace_back(sampler, batch, own, team);
}

void BatchWindow::draw_from(Index k) {
  first_ = k;
  if (drawers_.size() == 1) return drawers_[0].draw(random_, k);
  team_.run(std::ssize(drawers_), [&](Index i) { drawers_[to_size(i)].draw_alone(random_, k + i); });
}

}  // namespace polyak
