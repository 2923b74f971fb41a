// Kernels for rows of 104 to 1023 elements: a warp for each row.

#include "cuda/hopper/launch.cuh"

namespace polyak::cuda::hopper {

template <class Value>
Launched launch_short_rows(const Task<Value>& task, const How& how);

template <class Value>
Launched launch_any(const Task<Value>& task, const How& how) {
  if (task.rows.d < 104) return launch_short_rows(task, how);
  if (task.rows.d < 256) return launch_long<Value, 8>(task, how);
  return launch_long<Value, 32>(task, how);
}

Launched launch(const Task<double>& task, const How& how) { return launch_any(task, how); }
Launched launch(const Task<float>& task, const How& how) { return launch_any(task, how); }

}  // namespace polyak::cuda::hopper
