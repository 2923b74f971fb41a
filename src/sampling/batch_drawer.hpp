#pragma once

// Batch after batch of one size, with their weights, by a team of threads.
// Room is taken once, at the start.

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "sampling/sampler.hpp"

namespace polyak {

class BatchDrawer {
 public:
  /// `own` are the rows' own weights w_j, or empty for ones. Sampler, own and
  /// team must outlive this.
  BatchDrawer(const Sampler& sampler, Index batch, std::span<const double> own, ThreadTeam& team);

  /// Draws t = 0 .. batch-1 of iteration k, by the team or alone: the same.
  void draw(const Random& random, Index k);
  void draw_alone(const Random& random, Index k);

  /// What was drawn, ascending; and w_j/(B·p_j) of each.
  std::span<const Index> rows() const { return rows_; }
  std::span<const double> weights() const { return weights_; }

 private:
  template <class Run>
  void draw_by(Run run, const Random& random, Index k);

  const Sampler& sampler_;
  std::span<const double> own_;
  ThreadTeam& team_;
  std::vector<Index> rows_, scratch_;
  std::vector<double> weights_;
  std::size_t chunks_;
  std::vector<std::uint64_t> places_;
};

}  // namespace polyak
