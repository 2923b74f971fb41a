#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/large_arrays.hpp"
#include "matrix/products.hpp"
#include "polyak/tomography.hpp"
#include "polyak/tomography_phantom.hpp"
#include "tomography/projectors/ray_maker.hpp"

namespace polyak::tomography {
using namespace polyak::internal;
using namespace polyak::tomography::internal;

namespace {

struct RowBuffer {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  explicit RowBuffer(const RayMaker& maker)
      : columns(to_size(maker.capacity())), values(to_size(maker.capacity())) {}
};

// Sorts the entries by column; rays followed by image columns come in another order.
void sort_entries(std::int32_t* columns, double* values, Index count,
                  std::vector<std::pair<std::int32_t, double>>& pairs) {
  if (std::is_sorted(columns, columns + count)) return;
  pairs.clear();
  for (Index k = 0; k < count; ++k) pairs.emplace_back(columns[k], values[k]);
  std::sort(pairs.begin(), pairs.end());
  for (Index k = 0; k < count; ++k) std::tie(columns[k], values[k]) = pairs[to_size(k)];
}

// A line as the angle of its normal, in [0, π), and its signed distance from the axis, both
// rounded to nine decimals.
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

std::vector<Index> internal::entry_counts(const RayMaker& maker, int threads) {
  ThreadTeam team(threads);
  std::vector<Index> counts(to_size(maker.geometry().rays()));
  for_rays(std::ssize(counts), team, [&](Index first, Index last) {
    RowBuffer row(maker);
    for (Index r = first; r < last; ++r)
      counts[to_size(r)] = maker.make(r, row.columns.data(), row.values.data());
  });
  return counts;
}

MatrixPtr system_matrix(const Geometry& geometry, RayModel model, int threads) {
  const RayMaker maker(geometry, model);
  return system_matrix(maker, entry_counts(maker, threads), threads);
}

MatrixPtr internal::system_matrix(const RayMaker& maker, const std::vector<Index>& counts,
                                  int threads) {
  Csr<double, std::int32_t> csr;
  csr.cols = maker.geometry().image.size();
  csr.row_start.assign(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), csr.row_start.begin() + 1);
  csr.columns = large_vector<std::int32_t>(to_size(csr.row_start.back()));
  csr.values = large_vector<double>(to_size(csr.row_start.back()));
  ThreadTeam team(threads);
  for_rays(std::ssize(counts), team, [&](Index first, Index last) {
    RowBuffer row(maker);
    std::vector<std::pair<std::int32_t, double>> pairs;
    for (Index r = first; r < last; ++r) {
      const Index count = maker.make(r, row.columns.data(), row.values.data());
      sort_entries(row.columns.data(), row.values.data(), count, pairs);
      const Index start = csr.row_start[to_size(r)];
      std::copy_n(row.columns.data(), count, csr.columns.data() + start);
      std::copy_n(row.values.data(), count, csr.values.data() + start);
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

std::vector<double> projections(const RowMatrix& A, const std::vector<double>& image, int threads) {
  ThreadTeam team(threads);
  std::vector<double> y(to_size(A.rows()));
  Products(A, {}, {}, team)
      .multiply({image.data(), 1, A.cols(), A.cols()}, {y.data(), A.rows(), 1, 1});
  return y;
}

ImageGrid finer_grid(const ImageGrid& image, Index finer) {
  return {image.rows * finer, image.cols * finer, image.pixel / static_cast<double>(finer)};
}

std::vector<double> coarser(const std::vector<double>& image, const ImageGrid& grid, Index finer) {
  std::vector<double> out(to_size(grid.size()), 0.0);
  const Index width = grid.cols * finer;
  for (Index k = 0; k < std::ssize(image); ++k)
    out[to_size(k / width / finer * grid.cols + k % width / finer)] +=
        image[to_size(k)] / static_cast<double>(finer * finer);
  return out;
}

std::vector<double> finer_projections(const Geometry& geometry, RayModel model,
                                      const std::vector<double>& image, Index finer, int threads) {
  Geometry fine = geometry;
  fine.image = finer_grid(geometry.image, finer);
  fine.detectors *= finer;
  fine.spacing /= static_cast<double>(finer);
  const auto y = projections(*projector(fine, model, {}, threads), image, threads);
  std::vector<double> out(to_size(geometry.rays()), 0.0);
  for (Index k = 0; k < std::ssize(y); ++k)
    out[to_size(k / finer)] += y[to_size(k)] / static_cast<double>(finer);
  return out;
}

// Pixels that no ray meets stay at zero and are left out of the quotients.
NormBounds norm_bounds(const RowMatrix& A, std::vector<double> weights, Index rounds, int threads) {
  ThreadTeam team(threads);
  Products products(A, weights, {}, team);
  const Index d = A.cols();
  const double zero = 0.0;
  const ConstView no_b{&zero, A.rows(), 1, 0};
  std::vector<double> v(to_size(d), 1.0), next(to_size(d));
  NormBounds out;
  for (Index round = 0; round < std::max<Index>(1, rounds); ++round) {
    double Av2 = 0.0, v2 = 0.0, largest = 0.0, highest = 0.0;
    products.full_gradient({v.data(), 1, d, d}, no_b, {next.data(), 1, d, d}, {&Av2, 1});
    for (std::size_t j = 0; j < v.size(); ++j) {
      v2 += v[j] * v[j];
      highest = std::max(highest, next[j]);
      if (v[j] > 0.0) largest = std::max(largest, next[j] / v[j]);
    }
    if (!(highest > 0.0)) return out;
    out.lower = std::max(out.lower, Av2 / v2);
    largest *= 1.0 + 1e-10;  // for the rounding errors of the sums
    out.upper = round == 0 ? largest : std::min(out.upper, largest);
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = next[j] / highest;
  }
  return out;
}

}  // namespace polyak::tomography
