#include "sampling/batch_drawer.hpp"

#include <algorithm>
#include <cmath>

#include "sampling/batch_steps.hpp"

namespace polyak {
namespace {

constexpr Index chunk_size = 1024;  // draws, at least: a chunk costs some microseconds

// Two for each thread, so that one that is held up can be helped.
std::size_t chunk_count(Index batch, const ThreadTeam& team) {
  return to_size(std::clamp<Index>(batch / chunk_size, 1, 2 * team.size()));
}

// Beyond eight standard deviations it grows, if it ever comes to that.
std::size_t likely_most(Index batch, const Sampler& sampler) {
  const double draws = static_cast<double>(batch);
  const double own = draws * sampler.share();
  return sampler.whole() ? to_size(batch)
                         : static_cast<std::size_t>(std::min(draws, own + 8 * std::sqrt(own) + 8));
}

}  // namespace

BatchDrawer::BatchDrawer(const Sampler& sampler, Index batch, std::span<const double> own,
                         ThreadTeam& team)
    : sampler_(sampler),
      own_(own),
      team_(team),
      batch_(batch),
      chunks_(chunk_count(batch, team)),
      picked_(sampler.whole() ? 0 : chunks_) {
  const std::size_t most = likely_most(batch, sampler);
  make_room(most);
  for (Picked& picked : picked_) picked.bits.resize(most / chunks_ + 2 * to_size(chunk_size));
  if (sampler.whole()) count_ = to_size(batch);
}

void BatchDrawer::make_room(std::size_t draws) {
  if (rows_.size() >= draws) return;
  rows_.resize(draws);
  scratch_.resize(draws);
  weights_.resize(draws);
  places_.resize(chunks_ * BatchSteps::buckets(draws));
}

// A draw outside is written too, and the next one over it: no branch.
void BatchDrawer::pick_chunk(Picked& into, Index first, Index last, const Random& random,
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

template <class Run>
void BatchDrawer::pick_own(Run run, const Random& random, Index k) {
  const auto chunks = static_cast<Index>(chunks_);
  run(chunks, [&](Index chunk) {
    pick_chunk(picked_[to_size(chunk)], chunk * batch_ / chunks, (chunk + 1) * batch_ / chunks,
               random, k);
  });
  count_ = 0;
  for (const Picked& picked : picked_) count_ += picked.count;
  make_room(count_);
  Index* to = rows_.data();
  for (const Picked& picked : picked_) to = std::copy_n(picked.bits.data(), picked.count, to);
}

template <class Run>
void BatchDrawer::receive_own(Run run, const Random& random, Index k) {
  const DrawExchange& others = *sampler_.exchange();
  const Index ranks = others.ranks(), chunks = static_cast<Index>(chunks_);
  const Index first = others.rank() * batch_ / ranks;
  const Index count = (others.rank() + 1) * batch_ / ranks - first;
  dealt_.resize(to_size(chunks * ranks));
  run(chunks, [&](Index chunk) {
    others.deal(random, static_cast<std::uint64_t>(k), first + chunk * count / chunks,
                first + (chunk + 1) * count / chunks, &dealt_[to_size(chunk * ranks)]);
  });
  for (std::size_t i = to_size(ranks); i < dealt_.size(); ++i) {
    auto& all = dealt_[i % to_size(ranks)];
    all.insert(all.end(), dealt_[i].begin(), dealt_[i].end());
  }
  others.swap(std::span(dealt_).first(to_size(ranks)), received_);
  count_ = received_.size();
  make_room(count_);
  const std::uint64_t from = sampler_.first_point() << 2;
  for (std::size_t i = 0; i < count_; ++i) rows_[i] = static_cast<Index>(received_[i] - from);
}

template <class Run>
void BatchDrawer::draw_by(Run run, const Random& random, Index k, bool alone) {
  const bool ask = !alone && sampler_.exchange() && sampler_.exchange()->pays(batch_);
  if (ask) receive_own(run, random, k);
  else if (!sampler_.whole()) pick_own(run, random, k);
  const Weighing by{own_.empty() ? nullptr : own_.data(), 1.0 / static_cast<double>(batch_)};
  const BatchSteps steps{.table = sampler_.table(),
                         .random = sampler_.whole() && !ask ? &random : nullptr,
                         .k = static_cast<std::uint64_t>(k),
                         .rows = {rows_.data(), count_},
                         .scratch = {scratch_.data(), count_},
                         .weights = weights_.data(),
                         .by = by,
                         .chunks = chunks_,
                         .places = places_.data()};
  steps.all(run);
}

void BatchDrawer::draw(const Random& random, Index k) {
  draw_by([this](Index count, auto body) { team_.run(count, body); }, random, k, false);
}

void BatchDrawer::draw_alone(const Random& random, Index k) {
  const auto in_turn = [](Index count, auto body) {
    for (Index i = 0; i < count; ++i) body(i);
  };
  draw_by(in_turn, random, k, true);
}

}  // namespace polyak
