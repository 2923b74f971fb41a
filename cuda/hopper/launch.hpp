#pragma once

// Which persistent kernel for which batch, and its launch. Internal.

#include <cuda_runtime_api.h>

#include <cstddef>
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

/// Starts the kernel on `stream`. `clusters` > 0 asks for a number of clusters other than
/// the usual one.
Launched launch(const Task<double>& task, int clusters, cudaStream_t stream);
Launched launch(const Task<float>& task, int clusters, cudaStream_t stream);

}  // namespace polyak::cuda::hopper
