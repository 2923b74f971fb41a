#pragma once

// The batches of a run. BatchDrawer draws one batch after the other, with weights, on a team
// of threads; its buffers are allocated once. BatchWindow has the batches of consecutive
// iterations.
//
// If rows are distributed over ranks, each rank sorts and looks up only the draws of its own
// rows. With few ranks each of them computes all draws to find its own, which is cheap; with
// many ranks each computes a part of the draws, and draws are exchanged (DrawExchange).

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "sampling/sampler.hpp"

namespace polyak::internal {

class BatchDrawer {
 public:
  /// `row_weights` are the weights w_j of the rows, or empty for 1. Sampler, row_weights and
  /// team must outlive this.
  BatchDrawer(const Sampler& sampler, Index batch, std::span<const double> row_weights,
              ThreadTeam& team);

  /// Draws t = 0 .. batch-1 of iteration k: by the team, or by the calling thread without
  /// communication; the result is the same. draw() is collective.
  void draw(const Random& random, Index k);
  void draw_alone(const Random& random, Index k);

  /// The drawn rows of this rank, ascending, and w_j/(B·p_j) of each.
  std::span<const Index> rows() const { return {rows_.data(), count_}; }
  std::span<const double> weights() const { return {weights_.data(), count_}; }
  /// B, over all ranks.
  Index batch() const { return batch_; }

 private:
  // The draws of one chunk that are in the own rows.
  struct OwnDraws {
    std::vector<std::uint64_t> bits;
    std::size_t count = 0;
  };

  template <class Run>
  void draw_with(Run run, const Random& random, Index k, bool alone);
  template <class Run>
  void select_own_draws(Run run, const Random& random, Index k);
  template <class Run>
  void exchange_draws(Run run, const Random& random, Index k);
  void select_chunk(OwnDraws& into, Index first, Index last, const Random& random, Index k) const;
  void reserve(std::size_t draws);

  const Sampler& sampler_;
  std::span<const double> row_weights_;
  ThreadTeam& team_;
  Index batch_;
  std::size_t count_ = 0;  // of the last batch
  std::vector<Index> rows_, scratch_;
  std::vector<double> weights_;
  std::size_t chunks_;
  std::vector<std::uint64_t> positions_;
  std::vector<OwnDraws> own_draws_;                   // of each chunk
  std::vector<std::vector<std::uint64_t>> outgoing_;  // chunks × ranks
  std::vector<std::uint64_t> received_;
};

/// A batch depends on its iteration only. Small batches are therefore drawn for several
/// iterations at a time, one per thread; a large one is drawn by the whole team.
class BatchWindow {
 public:
  /// See BatchDrawer.
  BatchWindow(const Sampler& sampler, Index batch, std::span<const double> row_weights,
              ThreadTeam& team, const Random& random);

  /// The batch of iteration k, valid until the next call.
  const BatchDrawer& at(Index k) {
    if (k < first_ || k >= first_ + std::ssize(drawers_)) draw_from(k);
    return drawers_[to_size(k - first_)];
  }

  /// The batch of iteration k if it has been drawn already, otherwise null.
  const BatchDrawer* drawn(Index k) const {
    const bool here = k >= first_ && k < first_ + std::ssize(drawers_);
    return here ? &drawers_[to_size(k - first_)] : nullptr;
  }

 private:
  void draw_from(Index k);
  void prefetch_from(Index k) const;

  const Sampler& sampler_;
  ThreadTeam& team_;
  Random random_;
  std::vector<BatchDrawer> drawers_;  // of iterations first_, first_ + 1, …
  Index first_;
};

}  // namespace polyak::internal
