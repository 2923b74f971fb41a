#pragma once

// The library of CUDA devices: found, loaded once, asked what there is.

#include <string>

#include "backend/device.hpp"

namespace polyak::internal {

/// Throws the failure as an Error of this library; null is success.
void check(const device::Failure* failure);

/// libpolyak_cuda.so, from the folder of the program or of this library, from ../lib beside
/// that folder, or from the loader's path. Error usage where it cannot be loaded.
const device::Library& cuda_library();

/// The number N of "cuda:N", 0 for "cuda", negative for another name.
int cuda_number(const std::string& name);

/// "cuda:N" where there is such a device. Error usage with the reason otherwise.
std::string cuda_device_named(const std::string& asked);

}  // namespace polyak::internal
