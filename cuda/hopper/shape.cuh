#pragma once

// The shape of a persistent kernel on Hopper, and what lies where in shared memory.
//
// A block has producer warps (draw, look up, copy), row warps (dot products and weighted
// sums of rows) and column warps (sums over blocks, step). Rows wait in a ring of stages;
// a stage holds one group of rows for every row warp.

#include "cuda/hopper/ptx.cuh"

namespace polyak::cuda::hopper {

constexpr int shared_limit = 232448;  // bytes a block may have on Hopper
constexpr int max_clusters = 16;

/// How the sum over a block's rows is made.
///   by_rows     row warps add their rows up, column warps add the sums of the row warps;
///   by_columns  at most one stage a batch: row warps make the residuals only, and column
///               warps, one column a thread, hold the same rows in registers before the
///               residuals are there. Fewer steps between x and the next x.
enum class Sums { by_rows, by_columns };

template <class Value_, int lanes_, int per_lane_, int row_warps_, int producers_,
          int column_warps_, int cluster_, Sums sums_ = Sums::by_rows>
struct Shape {
  using Value = Value_;
  static constexpr int lanes = lanes_;        // of a warp, for one row
  static constexpr int per_lane = per_lane_;  // elements of a row in each lane
  static constexpr int row_warps = row_warps_;
  static constexpr int producers = producers_;
  static constexpr int column_warps = column_warps_;
  static constexpr int cluster = cluster_;  // blocks
  static constexpr bool by_columns = sums_ == Sums::by_columns;

  static constexpr int columns = lanes * per_lane;  // at least d
  static constexpr int group = 32 / lanes;          // rows a warp has at a time
  static constexpr int stage_rows = row_warps * group;
  static constexpr std::int64_t cluster_rows = stage_rows * cluster;  // in one stage
  static constexpr int threads = (row_warps + producers + column_warps) * 32;
  static constexpr int column_threads = column_warps * 32;
  static constexpr int meeting = (row_warps + column_warps) * 32;  // threads of named barriers

  // Columns whose sums over the cluster one block makes: its slice. A warp handles `width`
  // of them at a time, a block `chunks` such parts.
  static constexpr int slice = (columns + cluster - 1) / cluster;
  static constexpr int width = slice <= 16 ? 16 : 32;
  static constexpr int chunks = (slice + width - 1) / width;
  static constexpr int turns = (chunks + column_warps - 1) / column_warps;  // per column warp

  // Bytes from row to row in the ring. A warp reads `group` rows at a time, 8 lanes each:
  // rows an odd multiple of a lane group's bytes apart fall into different banks.
  static constexpr int lane_bytes = lanes * static_cast<int>(sizeof(Value));
  static constexpr int pitch =
      group == 1 || per_lane % 2 == 1 ? lane_bytes * per_lane : lane_bytes * (per_lane + 1);

  static constexpr int stage_bytes = stage_rows * (pitch + 16) + 16;
  static constexpr int partials = by_columns ? 1 : row_warps;
  static constexpr int fixed_bytes =
      8 * (columns + partials * columns + stage_rows + cluster * slice) + 16 + 256;
  static constexpr int fitting = (shared_limit - fixed_bytes) / stage_bytes;
  static constexpr int stages = fitting < 32 ? fitting : 32;
  static_assert(stages >= producers, "each producer needs a stage of its own");
  static_assert(stage_rows <= 32, "a lane of a producer has one row of a stage");
  static_assert(!by_columns || columns <= column_threads, "a thread has one column");
};

/// b_i and the weight of a row in the ring.
struct alignas(16) RowFacts {
  double b, weight;
};

template <class S>
struct Shared {
  alignas(128) unsigned char ring[S::stages][S::stage_rows][S::pitch];
  RowFacts facts[S::stages][S::stage_rows];
  double x[S::columns];                        // the gradient point
  double partial[S::partials][S::columns];     // by rows: each row warp's sum
  alignas(16) double weighted[S::stage_rows];  // by columns: w·r of each row
  double inbox[S::cluster][S::slice];          // each block's sums of this block's slice
  Barrier full[S::stages], empty[S::stages];
  Barrier gathered, broadcast;  // inbox and x are complete
};

/// This block's part of a batch: place p of stage s is item first + s·step + p, if that is
/// below `end`. There are `stages` stages.
struct Part {
  std::int64_t first, step, end;
  int stages;

  __device__ __forceinline__ std::int64_t item(int stage, int place) const {
    return first + stage * step + place;
  }
};

__device__ __forceinline__ Part part_of(std::int64_t first, std::int64_t step, std::int64_t end) {
  const std::int64_t count = end > first ? end - first : 0;
  return {first, step, end, static_cast<int>((count + step - 1) / step)};
}

/// Each block has neighbouring items: a number of stages that differs by at most one.
template <class S>
__device__ __forceinline__ Part contiguous_part(std::int64_t total) {
  const std::int64_t blocks = gridDim.x, block = blockIdx.x;
  return part_of(total * block / blocks, S::stage_rows, total * (block + 1) / blocks);
}

/// Blocks take turns, so that all of them read from the same region of memory.
template <class S>
__device__ __forceinline__ Part interleaved_part(std::int64_t total) {
  return part_of(std::int64_t{blockIdx.x} * S::stage_rows, std::int64_t{gridDim.x} * S::stage_rows,
                 total);
}

/// A place in the ring, and the parity of the barriers there.
template <class S>
struct Slot {
  int index;
  std::uint32_t parity;

  __device__ __forceinline__ void advance(int by) {
    index += by;
    if (index >= S::stages) {
      index -= S::stages;
      parity ^= 1u;
    }
  }
};

// Named barriers: 0 is __syncthreads.
constexpr int sums_ready = 1;   // row warps have written `partial`
constexpr int point_ready = 2;  // cluster of one: column warps have written `x`

}  // namespace polyak::cuda::hopper
