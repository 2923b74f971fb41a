#pragma once

#include <cstddef>

namespace polyak::cuda {

/// Bytes per second at which a kernel that only reads goes through `bytes` of device
/// memory: the median of seven passes after two.
double read_ceiling(int device, std::size_t bytes);

}  // namespace polyak::cuda
