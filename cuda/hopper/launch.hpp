#pragma once

// Which persistent kernel for which batch, and its launch. Internal.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <string>

#include "cuda/task.hpp"

namespace polyak::cuda::hopper {

/// The words of 16 bytes that kernels exchange between clusters.
constexpr std::size_t exchange_words = 65536;

/// The widest row that the kernels here hold, one column being kept for Σ w·r².
constexpr std::int64_t max_columns = 1023;

/// Blocks of a cluster and clusters, rows a block takes at a time; for reports and tests.
struct Launched {
  std::string shape;
  int cluster = 0, clusters = 0;
};

/// How many clusters of a kernel the device runs at the same time: asked once a kernel, since
/// the answer takes longer than a launch.
using Resident = std::map<const void*, int>;

/// How a kernel is started. `clusters` > 0 asks for a number of clusters other than the
/// usual one.
struct How {
  int clusters;
  Resident& resident;
  cudaStream_t stream;
};

Launched launch(const Task<double>& task, const How& how);
Launched launch(const Task<float>& task, const How& how);

}  // namespace polyak::cuda::hopper
