#pragma once

// The persistent kernel: many iterations of a minibatch method in one launch, or one
// gradient over all rows. Every warp has one role until the end.

#include "cuda/hopper/columns.cuh"
#include "cuda/hopper/producer.cuh"
#include "cuda/hopper/rows.cuh"

namespace polyak::cuda::hopper {

template <class S>
__device__ void prepare(Shared<S>& shared, const Task<typename S::Value>& task) {
  auto* ring = reinterpret_cast<double*>(shared.ring);
  constexpr int words = static_cast<int>(sizeof(shared.ring) / sizeof(double));
  // Copies end at d; the elements beyond it stay zero.
  for (int i = static_cast<int>(threadIdx.x); i < words; i += S::threads) ring[i] = 0.0;
  for (int j = static_cast<int>(threadIdx.x); j < S::columns; j += S::threads)
    shared.x[j] = gradient_point(task.method, at(task.beta, 0), load_entry(task, j));
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::stages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], S::row_warps + (S::by_columns ? S::column_warps : 0));
    }
    init(&shared.gathered, 1);
    init(&shared.broadcast, 1);
  }
  fence_init();
  __syncthreads();
  if constexpr (S::cluster > 1) cluster_barrier();
}

template <class S, class Source, bool with_residual>
__global__ void __launch_bounds__(S::threads, 1)
    iterate(const __grid_constant__ Task<typename S::Value> task) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<S>*>(memory);
  prepare(shared, task);
  const Part part = Source::template part<S>(task);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int first_column_warp = S::row_warps, first_producer = S::row_warps + S::column_warps;
  if (warp >= first_producer) {
    produce<S, Source>(shared, task, part, warp - first_producer, lane);
  } else if (warp >= first_column_warp) {
    const int thread = static_cast<int>(threadIdx.x) - first_column_warp * 32;
    if constexpr (S::cluster == 1)
      step_alone<S>(shared, task, part, thread);
    else
      step_in_cluster<S>(shared, task, part, thread);
  } else if constexpr (S::by_columns) {
    weigh_rows<S>(shared, task, part, warp, lane);
  } else {
    sum_rows<S, with_residual>(shared, task, part, warp, lane);
  }
  __syncwarp();
  if constexpr (S::cluster > 1) cluster_barrier();  // no block ends while others store into it
}

}  // namespace polyak::cuda::hopper
