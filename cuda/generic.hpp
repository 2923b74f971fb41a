#pragma once

// The same tasks for any GPU from sm_70 on and rows of any length. Internal.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/task.hpp"

namespace polyak::cuda::generic {

/// Doubles of scratch memory that rows of d elements need.
std::size_t scratch_size(std::int64_t d);

/// Starts the kernel on `stream`; returns its number of blocks.
int launch(const Task<double>& task, cudaStream_t stream);
int launch(const Task<float>& task, cudaStream_t stream);

}  // namespace polyak::cuda::generic
