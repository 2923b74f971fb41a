#pragma once

// The batches of one run, iteration after iteration. A batch depends on its
// iteration only, so small ones are drawn several iterations at a time, one to
// a thread; a large one is drawn by the whole team.

#include <vector>

#include "sampling/batch_drawer.hpp"

namespace polyak {

class BatchWindow {
 public:
  /// See BatchDrawer.
  BatchWindow(const Sampler& sampler, Index batch, std::span<const double> own, ThreadTeam& team,
              const Random& random);

  /// The batch of iteration k, good until the next call.
  const BatchDrawer& at(Index k) {
    if (k < first_ || k >= first_ + std::ssize(drawers_)) draw_from(k);
    return drawers_[to_size(k - first_)];
  }

  /// That of iteration k if it has been drawn already, else null.
  const BatchDrawer* drawn(Index k) const {
    const bool here = k >= first_ && k < first_ + std::ssize(drawers_);
    return here ? &drawers_[to_size(k - first_)] : nullptr;
  }

 private:
  void draw_from(Index k);
  void expect_from(Index k) const;

  const Sampler& sampler_;
  ThreadTeam& team_;
  Random random_;
  std::vector<BatchDrawer> drawers_;
  Index first_;
};

}  // namespace polyak
