// Kernels for rows of at most 103 elements: eight lanes a row, four rows a warp.

#include "cuda/hopper/launch.cuh"

namespace polyak::cuda::hopper {

template <class Value>
Launched launch_short_rows(const Task<Value>& task, int clusters, cudaStream_t stream) {
  if (task.rows.d < 32) return launch_short<Value, 4>(task, clusters, stream);
  return launch_short<Value, 13>(task, clusters, stream);
}

template Launched launch_short_rows(const Task<double>&, int, cudaStream_t);
template Launched launch_short_rows(const Task<float>&, int, cudaStream_t);

}  // namespace polyak::cuda::hopper
