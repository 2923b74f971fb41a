// Kernels for rows of at most 103 elements: eight lanes a row, four rows a warp.

#include "cuda/hopper/launch.cuh"

namespace polyak::cuda::hopper {

template <class Value>
Launched launch_short_rows(const Task<Value>& task, const How& how) {
  if (task.rows.d < 32) return launch_short<Value, 4>(task, how);
  return launch_short<Value, 13>(task, how);
}

template Launched launch_short_rows(const Task<double>&, const How&);
template Launched launch_short_rows(const Task<float>&, const How&);

}  // namespace polyak::cuda::hopper
