#pragma once

// Dot products of many lists of entries with one vector: rows with x, pieces of columns with y.
// Lists in slices are summed by one lane each. For others a group of lanes, as many as suit the
// mean length, takes a list, and a whole warp one much longer than that. The order of a sum follows
// from the length of its list and the number of lanes alone.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/slices.hpp"

namespace polyak::cuda {

using Index = std::int64_t;

struct Entries {
  Index first, last;
};

/// Group `group` of the grid has lane `lane` of `lanes`.
struct Group {
  int lane, lanes;
  Index number, count;

  __device__ explicit Group(int lanes, Index block, Index blocks)
      : lane(static_cast<int>(threadIdx.x) % lanes),
        lanes(lanes),
        number((block * blockDim.x + threadIdx.x) / lanes),
        count(blocks * blockDim.x / lanes) {}
};

__device__ inline double group_sum(double s, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    s = sum(s, __shfl_xor_sync(~0u, s, distance));
  return s;
}

// One lane's part; entries are read once, so that they leave the caches to x.
template <class Value>
__device__ double lane_dot(Entries list, int lane, int lanes, const std::int32_t* numbers,
                           const Value* values, const double* x) {
  constexpr int ahead = 4;
  double s = 0.0;
  for (Index k = list.first + lane; k < list.last; k += ahead * lanes) {
    double v[ahead];
    std::int32_t at[ahead];
#pragma unroll
    for (int c = 0; c < ahead; ++c) {
      const Index t = k + c * lanes;
      if (t >= list.last) continue;
      v[c] = static_cast<double>(__ldcs(values + t));
      at[c] = __ldcs(numbers + t);
    }
#pragma unroll
    for (int c = 0; c < ahead; ++c)
      if (k + c * lanes < list.last) s = fused(v[c], x[at[c]], s);
  }
  return s;
}

/// use(t, dot) by the first lane of a group, for t = first .. last−1; list_of(t) are the entries of
/// list t. Called by whole warps.
template <class Value, class ListOf, class Use>
__device__ void each_dot(const Group& group, Index first, Index last, const std::int32_t* numbers,
                         const Value* values, const double* x, ListOf list_of, Use use) {
  const Index in_warp = group.number % (32 / group.lanes);
  for (Index base = first + group.number - in_warp; base < last; base += group.count) {
    const Index t = base + in_warp;
    const Entries list = t < last ? list_of(t) : Entries{0, 0};
    const bool is_long = list.last - list.first > 64 * group.lanes && group.lanes < 32;
    double s =
        lane_dot(is_long ? Entries{0, 0} : list, group.lane, group.lanes, numbers, values, x);
    s = group_sum(s, group.lanes);
    unsigned left = __ballot_sync(~0u, is_long && group.lane == 0);
    for (; left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const Entries all{__shfl_sync(~0u, list.first, owner), __shfl_sync(~0u, list.last, owner)};
      const int lane = static_cast<int>(threadIdx.x) % 32;
      const double whole = lanes_sum<32>(lane_dot(all, lane, 32, numbers, values, x));
      if (lane == owner) s = whole;
    }
    if (t < last && group.lane == 0) use(t, s);
  }
}

/// use(place, sum) for the lists of the slices first, first + step, … below last, by their lanes.
/// Called by whole warps.
template <class Value, class Use>
__device__ void each_slice(const Slices<Value>& A, Index first, Index last, Index step,
                           const double* x, Use use) {
  constexpr int ahead = 8;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (Index slice = first; slice < last; slice += step) {
    const Index base = A.bases[slice], place = A.places[slice * slice_lists + lane];
    const int width = static_cast<int>((A.bases[slice + 1] - base) / slice_lists);
    const Value* values = A.values + base + lane;
    const std::int32_t* numbers = A.numbers + base + lane;
    double s = 0.0;
    for (int k = 0; k < width; k += ahead) {
      double v[ahead];
      std::int32_t at[ahead];
#pragma unroll
      for (int c = 0; c < ahead; ++c) {
        at[c] = k + c < width ? __ldcs(numbers + c * slice_lists) : -1;
        if (k + c < width) v[c] = static_cast<double>(__ldcs(values + c * slice_lists));
      }
#pragma unroll
      for (int c = 0; c < ahead; ++c)
        if (at[c] >= 0) s = fused(v[c], x[at[c]], s);
      values += ahead * slice_lists;
      numbers += ahead * slice_lists;
    }
    if (place >= 0) use(place, s);
  }
}

/// Σ over the threads of a block, for thread 0; the warps are added in order.
__device__ inline double block_sum(double s) {
  __shared__ double of_warps[32];
  s = lanes_sum<32>(s);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x != 0) return 0.0;
  s = of_warps[0];
  for (unsigned w = 1; w < blockDim.x / 32; ++w) s = sum(s, of_warps[w]);
  return s;
}

}  // namespace polyak::cuda
