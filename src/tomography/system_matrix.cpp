#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/huge_pages.hpp"
#include "tomography/count.hpp"

namespace polyak::tomography {
namespace {

struct Room {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  explicit Room(const RayMaker& maker)
      : columns(to_size(maker.capacity())), values(to_size(maker.capacity())) {}
};

// Rays followed by columns come out in another order.
void sort_entries(std::int32_t* columns, double* values, Index count,
                  std::vector<std::pair<std::int32_t, double>>& pairs) {
  if (std::is_sorted(columns, columns + count)) return;
  pairs.clear();
  for (Index k = 0; k < count; ++k) pairs.emplace_back(columns[k], values[k]);
  std::sort(pairs.begin(), pairs.end());
  for (Index k = 0; k < count; ++k) std::tie(columns[k], values[k]) = pairs[to_size(k)];
}

// A line by the direction of its normal, in [0, π), and its signed distance
// from the axis, both to nine decimals.
using LineKey = std::pair<Index, Index>;
LineKey key_of(const Line& line, double unit) {
  double angle = std::atan2(-line.along.x, line.along.y);  // of the normal (dy, −dx)
  double distance = line.at.x * line.along.y - line.at.y * line.along.x;
  if (angle < -1e-10) angle += std::numbers::pi, distance = -distance;
  if (angle > std::numbers::pi - 1e-10) angle -= std::numbers::pi, distance = -distance;
  const auto rounded = [](double v) { return static_cast<Index>(std::floor(v * 1e9 + 0.25)); };
  return {rounded(angle), rounded(distance / unit)};
}

}  // namespace

std::vector<Index> entry_counts(const RayMaker& maker, int threads) {
  ThreadTeam team(threads);
  std::vector<Index> counts(to_size(maker.geometry().rays()));
  for_rays(std::ssize(counts), team, [&](Index first, Index last) {
    Room room(maker);
    for (Index r = first; r < last; ++r)
      counts[to_size(r)] = maker.make(r, room.columns.data(), room.values.data());
  });
  return counts;
}

MatrixPtr system_matrix(const Geometry& geometry, RayModel model, int threads) {
  const RayMaker maker(geometry, model);
  return system_matrix(maker, entry_counts(maker, threads), threads);
}

MatrixPtr system_matrix(const RayMaker& maker, const std::vector<Index>& counts, int threads) {
  Csr<double, std::int32_t> csr;
  csr.cols = maker.geometry().image.size();
  csr.row_start.assign(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), csr.row_start.begin() + 1);
  csr.columns = large_vector<std::int32_t>(to_size(csr.row_start.back()));
  csr.values = large_vector<double>(to_size(csr.row_start.back()));
  ThreadTeam team(threads);
  for_rays(std::ssize(counts), team, [&](Index first, Index last) {
    Room room(maker);
    std::vector<std::pair<std::int32_t, double>> pairs;
    for (Index r = first; r < last; ++r) {
      const Index count = maker.make(r, room.columns.data(), room.values.data());
      sort_entries(room.columns.data(), room.values.data(), count, pairs);
      const Index start = csr.row_start[to_size(r)];
      std::copy_n(room.columns.data(), count, csr.columns.data() + start);
      std::copy_n(room.values.data(), count, csr.values.data() + start);
    }
  });
  return csr_matrix(std::move(csr));
}

RayCounts count_rays(const Geometry& geometry, RayModel model, int threads) {
  const RayMaker maker(geometry, model);
  const auto counts = entry_counts(maker, threads);
  RayCounts out;
  out.rays = std::ssize(counts);
  std::vector<LineKey> keys;
  for (Index r = 0; r < out.rays; ++r) {
    const Index count = counts[to_size(r)];
    out.nonzeros += count;
    out.zero += count == 0;
    if (count > 0) keys.push_back(key_of(ray(geometry, r), geometry.spacing));
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t k = 1; k < keys.size(); ++k) out.duplicate += keys[k] == keys[k - 1];
  return out;
}

}  // namespace polyak::tomography
