#pragma once

// Row warps: for each row i of the batch r_i = a_iᵀx − b_i and g += w_i·r_i·a_i.
//
// S::lanes lanes share a row; lane l has the elements j with j mod lanes = l in registers,
// as it has those of x and of the sum. With eight lanes the dot product has the bits of the
// CPU's. Bytes moved: each row once from the ring; nothing else in the loop over rows.

#include "cuda/hopper/shape.cuh"

namespace polyak::cuda::hopper {

/// A row in registers.
template <class S>
struct RowValues {
  double a[S::per_lane];
  RowFacts facts;
};

/// Waits for the next stage, takes this group's row of it and hands the stage back.
template <class S>
__device__ __forceinline__ void take(Shared<S>& shared, Slot<S>& slot, int row, int lane,
                                     RowValues<S>& out) {
  wait(&shared.full[slot.index], slot.parity);
  using Value = typename S::Value;
  const auto* from = reinterpret_cast<const Value*>(shared.ring[slot.index][row]);
#pragma unroll
  for (int c = 0; c < S::per_lane; ++c)
    out.a[c] = static_cast<double>(from[c * S::lanes + lane % S::lanes]);
  out.facts = shared.facts[slot.index][row];
  __syncwarp();
  if (lane == 0) arrive(&shared.empty[slot.index]);
  slot.advance(1);
}

/// aᵀx − b, the same bits in every lane of the row. By columns it is on the way from x to
/// the next x, so four running sums a lane save time, at the price of the CPU's bits.
template <class S>
__device__ __forceinline__ double residual(const RowValues<S>& row,
                                           const double (&x)[S::per_lane]) {
  double s[4] = {};
#pragma unroll
  for (int c = 0; c < S::per_lane; ++c) {
    if constexpr (S::by_columns)
      s[c % 4] = fused(row.a[c], x[c], s[c % 4]);
    else
      s[0] = fused(row.a[c], x[c], s[0]);  // = lane_part
  }
  if constexpr (S::by_columns) s[0] = (s[0] + s[1]) + (s[2] + s[3]);
#pragma unroll
  for (int distance = S::lanes / 2; distance > 0; distance /= 2)  // = lane_tree
    s[0] = sum(s[0], __shfl_xor_sync(~0u, s[0], distance));
  return sum(s[0], -row.facts.b);
}

/// Adds the sums of lane groups that are `distance` lanes apart: the lower one keeps the
/// first half of the elements, the upper one the second. Half the shuffles of adding all.
template <int count>
__device__ __forceinline__ void fold(const double (&in)[count], double (&out)[(count + 1) / 2],
                                     int distance, bool upper) {
  constexpr int half = (count + 1) / 2;
#pragma unroll
  for (int i = 0; i < half; ++i) {
    const double second = i + half < count ? in[i + half < count ? i + half : 0] : 0.0;
    const double sent = upper ? in[i] : second, kept = upper ? second : in[i];
    out[i] = kept + __shfl_xor_sync(~0u, sent, distance);
  }
}

/// The warp's sum over its groups of lanes, to shared memory.
template <class S>
__device__ __forceinline__ void store_sum(const double (&g)[S::per_lane], double* to, int lane) {
  if constexpr (S::group == 1) {
#pragma unroll
    for (int c = 0; c < S::per_lane; ++c) to[c * S::lanes + lane] = g[c];
  } else {
    static_assert(S::group == 4);
    constexpr int half = (S::per_lane + 1) / 2, quarter = (half + 1) / 2;
    const bool upper = lane & 16, odd = lane & 8;
    double two[half], one[quarter];
    fold(g, two, 16, upper);
    fold(two, one, 8, odd);
#pragma unroll
    for (int i = 0; i < quarter; ++i) {
      const int in_half = (odd ? quarter : 0) + i, c = (upper ? half : 0) + in_half;
      if (in_half < half && c < S::per_lane) to[c * S::lanes + lane % S::lanes] = one[i];
    }
  }
}

/// Waits for x of iteration k.
template <class S>
__device__ __forceinline__ void await_point(Shared<S>& shared, std::int64_t done) {
  if (done == 0) return;
  if constexpr (S::cluster == 1)
    meet(point_ready, S::meeting);
  else
    wait_for_cluster(&shared.broadcast, static_cast<std::uint32_t>((done - 1) & 1));
}

/// By columns: the residuals of a batch of one stage, for the column warps to add up.
template <class S>
__device__ void weigh_rows(Shared<S>& shared, const Task<typename S::Value>& task, const Part& part,
                           int warp, int lane) {
  const int l = lane % S::lanes, row = warp * S::group + lane / S::lanes;
  const std::int64_t count = task.last - task.first;
  Slot<S> slot{0, 0};
  RowValues<S> values{};
  if (part.stages > 0) take(shared, slot, row, lane, values);
  for (std::int64_t i = 0; i < count; ++i) {
    await_point<S>(shared, i);
    double x[S::per_lane];
#pragma unroll
    for (int c = 0; c < S::per_lane; ++c) x[c] = shared.x[c * S::lanes + l];
    const double r = residual<S>(values, x);
    if (l == 0) shared.weighted[row] = part.item(0, row) < part.end ? values.facts.weight * r : 0.0;
    meet_without_waiting(sums_ready, S::meeting);
    if (i + 1 < count && part.stages > 0) take(shared, slot, row, lane, values);
  }
  // Stores of other blocks into this one must not outlive it.
  if constexpr (S::cluster > 1) await_point<S>(shared, count);
}

/// By rows. With `with_residual`, column d of the sum is Σ w·r².
template <class S, bool with_residual>
__device__ void sum_rows(Shared<S>& shared, const Task<typename S::Value>& task, const Part& part,
                         int warp, int lane) {
  const int l = lane % S::lanes, row = warp * S::group + lane / S::lanes;
  [[maybe_unused]] const int last_column = static_cast<int>(task.rows.d);
  const std::int64_t count = task.last - task.first;
  Slot<S> slot{0, 0};
  RowValues<S> values{};
  if (part.stages > 0) take(shared, slot, row, lane, values);
  for (std::int64_t i = 0; i < count; ++i) {
    await_point<S>(shared, i);
    double x[S::per_lane], g[S::per_lane];
    [[maybe_unused]] double square = 0.0;
#pragma unroll
    for (int c = 0; c < S::per_lane; ++c) {
      x[c] = shared.x[c * S::lanes + l];
      g[c] = 0.0;
    }
    for (int stage = 0; stage < part.stages; ++stage) {
      if (stage > 0) take(shared, slot, row, lane, values);
      const double r = residual<S>(values, x), weighted = values.facts.weight * r;
      if (part.item(stage, row) < part.end) {
#pragma unroll
        for (int c = 0; c < S::per_lane; ++c) g[c] = fused(weighted, values.a[c], g[c]);
        if constexpr (with_residual) square = fused(weighted, r, square);
      }
    }
    if constexpr (with_residual) {
#pragma unroll
      for (int c = 0; c < S::per_lane; ++c)
        if (c * S::lanes + l == last_column) g[c] = square;
    }
    store_sum<S>(g, shared.partial[warp], lane);
    meet_without_waiting(sums_ready, S::meeting);
    // The next rows come into registers while the sums are exchanged.
    if (i + 1 < count && part.stages > 0) take(shared, slot, row, lane, values);
  }
  // Stores of other blocks into this one must not outlive it.
  if constexpr (S::cluster > 1) await_point<S>(shared, count);
}

}  // namespace polyak::cuda::hopper
