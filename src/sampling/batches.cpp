#include "sampling/batches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/file_pages.hpp"
#include "sampling/batch_steps.hpp"

namespace polyak {
namespace {

// All in draws.
constexpr Index min_chunk = 1024;         // costs a few microseconds
constexpr Index single_thread_batch = 4;  // up to this, starting the team costs more
constexpr Index prefetched_batch = 16;    // up to this, look-ups do not hide each other's latency

// Two per thread, so that the other threads can take over if one is delayed.
std::size_t chunk_count(Index batch, const ThreadTeam& team) {
  return to_size(std::clamp<Index>(batch / min_chunk, 1, 2 * team.size()));
}

// The expected number of draws in the own rows plus eight standard deviations; if there are
// more, buffers grow.
std::size_t likely_own_draws(Index batch, const Sampler& sampler) {
  if (sampler.has_all_points()) return to_size(batch);
  const double draws = static_cast<double>(batch), own = draws * sampler.point_share();
  return static_cast<std::size_t>(std::min(draws, own + 8 * std::sqrt(own) + 8));
}

// So many that starting the team costs little; so few that the batches left over at the end of
// a run cost little, and that all of them stay in cache. Each thread gets as many as the others;
// too few for that, and a batch that can be divided is drawn by the whole team.
Index iterations_at_once(Index batch, const ThreadTeam& team) {
  constexpr Index draws = 1 << 14;
  const Index max_iterations = batch <= single_thread_batch ? 64 : 16;
  const Index all = std::clamp<Index>(draws / std::max<Index>(1, batch), 1, max_iterations);
  if (all >= team.size()) return all - all % team.size();
  return chunk_count(batch, team) > 1 ? 1 : all;
}

}  // namespace

BatchDrawer::BatchDrawer(const Sampler& sampler, Index batch, std::span<const double> row_weights,
                         ThreadTeam& team)
    : sampler_(sampler),
      row_weights_(row_weights),
      team_(team),
      batch_(batch),
      chunks_(chunk_count(batch, team)),
      own_draws_(sampler.has_all_points() ? 0 : chunks_) {
  const std::size_t likely = likely_own_draws(batch, sampler);
  reserve(likely);
  for (OwnDraws& own : own_draws_) own.bits.resize(likely / chunks_ + 2 * to_size(min_chunk));
  if (sampler.has_all_points()) count_ = to_size(batch);
}

void BatchDrawer::reserve(std::size_t draws) {
  if (rows_.size() >= draws) return;
  rows_.resize(draws);
  scratch_.resize(draws);
  weights_.resize(draws);
  positions_.resize(chunks_ * BatchSteps::buckets(draws));
}

// Without a branch: a draw in a row of another rank is written too, and overwritten by the next.
void BatchDrawer::select_chunk(OwnDraws& into, Index first, Index last, const Random& random,
                               Index k) const {
  constexpr Index block = 1024;
  std::uint64_t drawn[block];
  const std::uint64_t from = sampler_.first_point() << 2, size = sampler_.table().points() << 2;
  into.count = 0;
  for (Index t = first; t < last; t += block) {
    const std::size_t here = to_size(std::min(block, last - t));
    if (into.bits.size() < into.count + here) into.bits.resize(2 * into.bits.size() + here);
    random.bits(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(t), here, drawn);
    std::uint64_t* out = into.bits.data() + into.count;
    for (std::size_t i = 0; i < here; ++i) {
      *out = drawn[i] - from;
      out += *out < size;
    }
    into.count = static_cast<std::size_t>(out - into.bits.data());
  }
}

// Computes all draws of the batch and keeps those in the own rows.
template <class Run>
void BatchDrawer::select_own_draws(Run run, const Random& random, Index k) {
  const auto chunks = static_cast<Index>(chunks_);
  run(chunks, [&](Index chunk) {
    select_chunk(own_draws_[to_size(chunk)], chunk * batch_ / chunks, (chunk + 1) * batch_ / chunks,
                 random, k);
  });
  count_ = 0;
  for (const OwnDraws& own : own_draws_) count_ += own.count;
  reserve(count_);
  Index* to = rows_.data();
  for (const OwnDraws& own : own_draws_) to = std::copy_n(own.bits.data(), own.count, to);
}

// Computes this rank's part of the draws, sends them, and receives those in the own rows.
template <class Run>
void BatchDrawer::exchange_draws(Run run, const Random& random, Index k) {
  const DrawExchange& exchange = *sampler_.exchange();
  const Index ranks = exchange.ranks(), chunks = static_cast<Index>(chunks_);
  const Index first = exchange.rank() * batch_ / ranks;
  const Index count = (exchange.rank() + 1) * batch_ / ranks - first;
  outgoing_.resize(to_size(chunks * ranks));
  run(chunks, [&](Index chunk) {
    exchange.draw_by_rank(random, static_cast<std::uint64_t>(k), first + chunk * count / chunks,
                          first + (chunk + 1) * count / chunks, &outgoing_[to_size(chunk * ranks)]);
  });
  for (std::size_t i = to_size(ranks); i < outgoing_.size(); ++i) {
    auto& all = outgoing_[i % to_size(ranks)];
    all.insert(all.end(), outgoing_[i].begin(), outgoing_[i].end());
  }
  exchange.send(std::span(outgoing_).first(to_size(ranks)), received_);
  count_ = received_.size();
  reserve(count_);
  const std::uint64_t from = sampler_.first_point() << 2;
  for (std::size_t i = 0; i < count_; ++i) rows_[i] = static_cast<Index>(received_[i] - from);
}

template <class Run>
void BatchDrawer::draw_with(Run run, const Random& random, Index k, bool alone) {
  const bool exchanges = !alone && sampler_.exchange() && sampler_.exchange()->pays(batch_);
  if (exchanges)
    exchange_draws(run, random, k);
  else if (!sampler_.has_all_points())
    select_own_draws(run, random, k);
  count_file_places(row_weights_.data(), static_cast<Index>(count_));
  const WeightRule rule{row_weights_.empty() ? nullptr : row_weights_.data(),
                        1.0 / static_cast<double>(batch_)};
  const BatchSteps steps{.table = sampler_.table(),
                         .random = sampler_.has_all_points() && !exchanges ? &random : nullptr,
                         .k = static_cast<std::uint64_t>(k),
                         .rows = {rows_.data(), count_},
                         .scratch = {scratch_.data(), count_},
                         .weights = weights_.data(),
                         .rule = rule,
                         .chunks = chunks_,
                         .positions = positions_.data()};
  steps.all(run);
}

void BatchDrawer::draw(const Random& random, Index k) {
  draw_with([this](Index count, auto body) { team_.run(count, body); }, random, k, false);
}

void BatchDrawer::draw_alone(const Random& random, Index k) {
  const auto in_turn = [](Index count, auto body) {
    for (Index i = 0; i < count; ++i) body(i);
  };
  draw_with(in_turn, random, k, true);
}

BatchWindow::BatchWindow(const Sampler& sampler, Index batch, std::span<const double> row_weights,
                         ThreadTeam& team, const Random& random)
    : sampler_(sampler),
      team_(team),
      random_(random),
      first_(std::numeric_limits<Index>::max() / 2) {
  for (Index i = 0; i < iterations_at_once(batch, team); ++i)
    drawers_.emplace_back(sampler, batch, row_weights, team);
}

void BatchWindow::prefetch_from(Index k) const {
  for (Index i = 0; i < std::ssize(drawers_); ++i)
    for (std::size_t t = 0; t < to_size(drawers_[0].batch()); ++t)
      sampler_.table().prefetch(random_.bits(static_cast<std::uint64_t>(k + i), t));
}

void BatchWindow::draw_from(Index k) {
  first_ = k;
  const Index batch = drawers_[0].batch();
  if (sampler_.has_all_points() && batch <= prefetched_batch) prefetch_from(k);
  if (drawers_.size() == 1) return drawers_[0].draw(random_, k);
  const auto draw = [&](Index i) { drawers_[to_size(i)].draw_alone(random_, k + i); };
  if (batch > single_thread_batch) return team_.run(std::ssize(drawers_), draw);
  for (Index i = 0; i < std::ssize(drawers_); ++i) draw(i);
}

}  // namespace polyak
