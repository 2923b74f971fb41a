#pragma once

// Batch after batch of one size, with their weights, by a team of threads.
// Room is taken once, at the start. Where ranks share the rows, each sorts, looks
// up and keeps the draws of its own rows: few ranks make all draws to find them,
// which is cheap; many each make a part and tell each other.

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

  /// Draws t = 0 .. batch-1 of iteration k, by the team or alone: the same. Ranks
  /// call draw() together; draw_alone() asks nobody.
  void draw(const Random& random, Index k);
  void draw_alone(const Random& random, Index k);

  /// What was drawn of the sampler's rows, ascending; and w_j/(B·p_j) of each.
  std::span<const Index> rows() const { return {rows_.data(), count_}; }
  std::span<const double> weights() const { return {weights_.data(), count_}; }
  /// B, over all ranks.
  Index batch() const { return batch_; }

 private:
  // Draws of one's own rows, of one chunk.
  struct Picked {
    std::vector<std::uint64_t> bits;
    std::size_t count = 0;
  };

  template <class Run>
  void draw_by(Run run, const Random& random, Index k, bool alone);
  template <class Run>
  void pick_own(Run run, const Random& random, Index k);
  template <class Run>
  void receive_own(Run run, const Random& random, Index k);
  void pick_chunk(Picked& into, Index first, Index last, const Random& random, Index k) const;
  void make_room(std::size_t draws);

  const Sampler& sampler_;
  std::span<const double> own_;
  ThreadTeam& team_;
  Index batch_;
  std::size_t count_ = 0;  // of what was drawn last
  std::vector<Index> rows_, scratch_;
  std::vector<double> weights_;
  std::size_t chunks_;
  std::vector<std::uint64_t> places_;
  std::vector<Picked> picked_;
  std::vector<std::vector<std::uint64_t>> dealt_;  // chunks × ranks
  std::vector<std::uint64_t> received_;
};

}  // namespace polyak
