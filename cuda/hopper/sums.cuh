#pragma once

// Sums of one column, in a fixed order: over this block's rows, and over the clusters.
//
// Bytes moved for a column and iteration: by rows, 8 of shared memory for each row warp; by
// columns, 8 for each row of the batch, before the residuals are there; between clusters, one
// word of 16 bytes written and one read for each cluster, in L2.

#include "cuda/hopper/shape.cuh"

namespace polyak::cuda::hopper {

/// Σ over clusters of `own`, for `width` columns, one per lane (modulo width). All 32 lanes
/// read, next to each other in memory, the words that are not of this epoch yet, until none
/// is left: reading the others again would only be in the way of those who store.
template <int width>
__device__ __forceinline__ double exchange(Word* words, int clusters, int cluster, double own,
                                           std::uint64_t epoch, int lane) {
  constexpr int count = max_clusters * width / 32;
  if (lane < width) store_word(words + cluster * width + lane, own, epoch);
  double part[count];
  unsigned missing = 0;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    part[i] = 0.0;
    if ((i * 32 + lane) / width < clusters) missing |= 1u << i;
  }
  while (missing != 0) {
    Word word[count];
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (missing & 1u << i) word[i] = load_word(words + i * 32 + lane);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if ((missing & 1u << i) && word[i].epoch == epoch) {
        part[i] = word[i].value;
        missing &= ~(1u << i);
      }
    }
  }
  __syncwarp();
  double s = tree_sum<count>(part, 1);
  if constexpr (width == 16) s = sum(s, __shfl_xor_sync(~0u, s, 16));
  return s;
}

/// This block's sum of a column: over the row warps, or over the rows of the batch.
template <class S>
struct ColumnSum {
  /// Takes the rows of the next iteration; by rows there is nothing to take.
  __device__ __forceinline__ void prepare(Shared<S>& shared, const Part& part, int thread) {
    if constexpr (S::by_columns) {
      if (part.stages == 0) return;
      wait(&shared.full[slot.index], slot.parity);
      const int column = min(thread, S::columns - 1);  // no branch for threads without one
#pragma unroll
      for (int i = 0; i < S::stage_rows; ++i) {
        const auto* row = reinterpret_cast<const typename S::Value*>(shared.ring[slot.index][i]);
        a[i] = static_cast<double>(row[column]);
      }
      __syncwarp();
      if (thread % 32 == 0) arrive(&shared.empty[slot.index]);
      slot.advance(1);
    }
  }
  /// Of column j, which by columns is the thread's own.
  __device__ __forceinline__ double operator()(const Shared<S>& shared, int j) const {
    if constexpr (S::by_columns) {
      double s[4] = {};
      const auto* pairs = reinterpret_cast<const double2*>(shared.weighted);
#pragma unroll
      for (int i = 0; i < S::stage_rows; i += 2) {
        const double2 weighted = pairs[i / 2];
        s[i % 4] = fused(weighted.x, a[i], s[i % 4]);
        s[i % 4 + 1] = fused(weighted.y, a[i + 1], s[i % 4 + 1]);
      }
      return (s[0] + s[1]) + (s[2] + s[3]);
    } else {
      return tree_sum<S::row_warps>(&shared.partial[0][j], S::columns);
    }
  }

  double a[S::by_columns ? S::stage_rows : 1] = {};
  Slot<S> slot{0, 0};
};

}  // namespace polyak::cuda::hopper
