#pragma once

/// \file devices.hpp
/// Devices that SolveOptions::device can name: "cpu", and where libpolyak_cuda.so, a driver
/// and a GPU are present, "cuda:0", "cuda:1", … ("cuda" is the first of them).

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace polyak {

struct DeviceInfo {
  std::string name;                ///< for the option: "cpu", "cuda:0"
  std::string description;         ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"; empty for the cpu
  std::uint64_t memory_bytes = 0, free_bytes = 0;
};

struct DeviceList {
  std::vector<DeviceInfo> devices;  ///< the cpu is the first
  std::string no_cuda;              ///< why there is no CUDA device; empty where there is one
};

/// Loads the CUDA library if it is present.
DeviceList list_devices();

/// The name of the device that the option asks for: "auto" is "cpu", "cuda" is "cuda:0".
/// Error usage with the reason if there is no such device. Only names that begin with "cuda"
/// load the CUDA library.
std::string device_named(const std::string& asked);

}  // namespace polyak
#pragma GCC visibility pop
