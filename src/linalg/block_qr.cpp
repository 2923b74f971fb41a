#include "linalg/block_qr.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace polyak {
namespace {

constexpr Index reduced_rows = 512;  // of a step of Tsqr
constexpr double unit_roundoff = 0x1p-53;

double reflections(double cols, double length) {
  return 8.0 * cols * (length + 16.0) * unit_roundoff;
}

}  // namespace

// Blocks of about 64 000 numbers: half a megabyte, or a megabyte of text. A lane has at least eight
// times as many rows as columns before it is merged, which then takes 4 % of the operations. As
// many lanes as 512 MB allow, up to 16.
BlockShape BlockShape::of(Index cols) {
  constexpr Index numbers = 1 << 16, most_lanes = 16;
  constexpr double most_bytes = 0x1p29;
  const Index p = std::max<Index>(1, cols);
  BlockShape out;
  out.rows = reduced_rows * std::clamp<Index>(numbers / (reduced_rows * p), 1, 16);
  out.lane_blocks = std::max<Index>(1, (8 * p + out.rows - 1) / out.rows);
  const double factor_bytes = 8.0 * static_cast<double>(p) * static_cast<double>(p);
  const auto lanes = static_cast<Index>(std::min(most_bytes / factor_bytes, 1e9));
  out.lanes = std::clamp<Index>(lanes, 1, most_lanes);
  return out;
}

BlockQr::BlockQr(Index cols, Index sums) : cols_(cols), sums_(sums), shape_(BlockShape::of(cols)) {}
BlockQr::~BlockQr() = default;

void BlockQr::add(Index number, ConstView rows, std::span<const double> sums) {
  Lane* lane = nullptr;
  const std::shared_ptr<Group> group = claim(number, lane);
  if (!group) return;
  take(lane->node, rows, sums);
  bool complete = false;
  {
    const std::lock_guard lock(mutex_);
    ++lane->taken;
    complete = ++group->taken == shape_.group();
    if (complete) groups_.erase(number / shape_.group());
  }
  changed_.notify_all();
  if (complete) count(number / shape_.group(), joined(*group));
}

// Waits until it is the turn of this block; nothing if the result is not wanted.
std::shared_ptr<BlockQr::Group> BlockQr::claim(Index number, Lane*& lane) {
  const Index within = number % shape_.group(), turn = within / shape_.lanes;
  std::unique_lock lock(mutex_);
  std::shared_ptr<Group>& group = groups_[number / shape_.group()];
  if (!group) {
    group = std::make_shared<Group>();
    group->lanes.resize(to_size(shape_.lanes));
  }
  const std::shared_ptr<Group> out = group;
  lane = &out->lanes[to_size(within % shape_.lanes)];
  changed_.wait(lock, [&] { return abandoned_ || lane->taken == turn; });
  return abandoned_ ? nullptr : out;
}

void BlockQr::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

void BlockQr::take(Node& node, ConstView rows, std::span<const double> sums) const {
  if (!node.factor) {
    node.factor = std::make_unique<Tsqr>(cols_);
    node.sums.assign(to_size(sums_), 0.0);
  }
  node.factor->add(rows);
  for (std::size_t k = 0; k < node.sums.size(); ++k) node.sums[k] += sums[k];
  const double steps = std::ceil(static_cast<double>(rows.rows) / reduced_rows);
  node.rounding += steps * reflections(static_cast<double>(cols_), reduced_rows + 1.0);
}

void BlockQr::join(Node& left, Node& right) const {
  if (!right.factor) return;
  if (!left.factor) {
    left = std::move(right);
    return;
  }
  left.factor->merge(*right.factor);
  right.factor.reset();
  for (std::size_t k = 0; k < left.sums.size(); ++k) left.sums[k] += right.sums[k];
  const double p = static_cast<double>(cols_);
  left.rounding = std::max(left.rounding, right.rounding) + reflections(p, p + 1.0);
}

BlockQr::Node BlockQr::joined(Group& group) const {
  std::vector<Lane>& lanes = group.lanes;
  for (Lane& lane : lanes)
    if (lane.node.factor) lane.node.factor->finish();
  for (std::size_t step = 1; step < lanes.size(); step *= 2)
    for (std::size_t left = 0; left + step < lanes.size(); left += 2 * step)
      join(lanes[left].node, lanes[left + step].node);
  return std::move(lanes.front().node);
}

// Groups are counted in the order of their numbers.
void BlockQr::count(Index group, Node node) {
  const std::lock_guard lock(counter_mutex_);
  early_.emplace(group, std::move(node));
  for (auto next = early_.find(next_group_); next != early_.end();
       next = early_.find(next_group_)) {
    count_next(std::move(next->second));
    early_.erase(next);
    ++next_group_;
  }
}

void BlockQr::count_next(Node node) {
  for (auto& place : counter_) {
    if (!place) {
      place = std::move(node);
      return;
    }
    join(*place, node);  // the place has the earlier rows
    node = *std::exchange(place, std::nullopt);
  }
  counter_.emplace_back(std::move(node));
}

BlockQr::Result BlockQr::finish() {
  for (auto& [number, group] : groups_) count(number, joined(*group));
  groups_.clear();
  Node all;
  for (auto& place : counter_) {
    if (!place) continue;
    join(*place, all);
    all = *std::exchange(place, std::nullopt);
  }
  counter_.clear();
  if (!all.factor) return {Buffer(cols_, cols_), std::vector<double>(to_size(sums_), 0.0)};
  return {all.factor->r(), std::move(all.sums), all.rounding};
}

// Triangles of the lanes of a group, of the counter and of a merge; a block of rows in every
// lane.
double BlockQr::bytes(Index cols, double rows, int threads) {
  const BlockShape shape = BlockShape::of(cols);
  const double p = static_cast<double>(cols);
  const double groups = std::max(1.0, rows / static_cast<double>(shape.rows * shape.group()));
  const double triangles = static_cast<double>(shape.lanes) + std::log2(groups) + 3.0;
  const double lanes = static_cast<double>(shape.lanes + threads);
  return 8.0 * p *
         (triangles * p + lanes * reduced_rows +
          static_cast<double>(threads) * static_cast<double>(shape.rows));
}

}  // namespace polyak
