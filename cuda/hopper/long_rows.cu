// Kernels for rows of 104 to 1023 elements: a warp for each row.

#include "cuda/hopper/launch.cuh"

namespace polyak::cuda::hopper {

template <class Value>
Launched launch_short_rows(const Task<Value>& task, int clusters, cudaStream_t stream);

template <class Value>
Launched launch_any(const Task<Value>& task, int clusters, cudaStream_t stream) {
  if (task.rows.d < 104) return launch_short_rows(task, clusters, stream);
  if (task.rows.d < 256) return launch_long<Value, 8>(task, clusters, stream);
  return launch_long<Value, 32>(task, clusters, stream);
}

Launched launch(const Task<double>& task, int clusters, cudaStream_t stream) {
  return launch_any(task, clusters, stream);
}
Launched launch(const Task<float>& task, int clusters, cudaStream_t stream) {
  return launch_any(task, clusters, stream);
}

}  // namespace polyak::cuda::hopper
