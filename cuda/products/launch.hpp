#pragma once

// Sizes of launches. Internal, for .cu files.

#include <algorithm>
#include <cstdint>

#include "cuda/buffer.hpp"

namespace polyak::cuda {

constexpr int threads = 256;

/// Blocks for `count` threads; kernels loop where there are more elements than threads.
inline unsigned blocks_for(std::int64_t count) {
  constexpr std::int64_t limit = 1 << 20;
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + threads - 1) / threads, 1, limit));
}

inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

#if defined(__CUDACC__)
/// body(i) for i = 0 .. count−1, by all threads of the grid in x.
template <class Body>
__device__ void for_each(std::int64_t count, Body body) {
  const std::int64_t all = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all)
    body(i);
}

/// Σ over the lanes of a group of 2^k lanes, the same bits in each.
template <int lanes>
__device__ double lanes_sum(double s) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    s = __dadd_rn(s, __shfl_xor_sync(~0u, s, distance));
  return s;
}
#endif

}  // namespace polyak::cuda
