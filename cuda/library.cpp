// What libpolyak_cuda.so exports: one function, which hands out the interface of
// src/backend/device.hpp.

#include <algorithm>
#include <cstdio>
#include <string>

#include "cuda/problem.hpp"

namespace polyak::cuda {
using namespace polyak::internal;

namespace {

#if CUDART_VERSION >= 13000
constexpr int oldest_major = 7, oldest_minor = 5;
#else
constexpr int oldest_major = 7, oldest_minor = 0;
#endif

[[noreturn]] void refuse(const std::string& what, const std::string& found,
                         const std::string& expected) {
  throw Error(ErrorCode::usage,
              {.what = what, .where = "device", .found = found, .expected = expected});
}

std::string cuda_version(int number) {
  return "CUDA " + std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// The runtime has one code for a missing driver and for one that is too old.
[[noreturn]] void refuse_devices(cudaError_t why) {
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaGetLastError();
  if (why == cudaErrorInsufficientDriver && driver == 0)
    refuse("there is no NVIDIA driver on this machine", "", "");
  if (why == cudaErrorInsufficientDriver)
    refuse("the NVIDIA driver is too old for libpolyak_cuda.so", cuda_version(driver),
           "at least " + cuda_version(CUDART_VERSION));
  if (why == cudaErrorNoDevice || why == cudaSuccess)
    refuse("there is no CUDA device on this machine", "", "");
  refuse("the CUDA devices of this machine cannot be used",
         std::string(cudaGetErrorName(why)) + ", " + cudaGetErrorString(why), "");
}

void fill_facts(int device, device::Facts& out) {
  const UseDevice use(device);
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, device), "properties of the device");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "memory of the device");
  std::snprintf(out.name, sizeof out.name, "%s", p.name);
  out.major = p.major;
  out.minor = p.minor;
  out.memory_bytes = p.totalGlobalMem;
  out.free_bytes = free;
}

std::string gigabytes(double bytes) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
  return text;
}

double bytes_of(const device::Layout& layout) {
  const double value = layout.single ? 4.0 : 8.0;
  const auto n = static_cast<double>(layout.n), d = static_cast<double>(layout.d);
  const double entries = static_cast<double>(layout.entries);
  const double rows =
      layout.sparse ? entries * 2.0 * (value + 4.0) + 8.0 * (n + 2.0 * d) : n * d * value;
  const double vectors =
      static_cast<double>(layout.right_hand_sides) + (layout.weighted ? 1.0 : 0.0);
  return rows + 8.0 * n * vectors;
}

void check_memory(const device::Layout& layout, const device::Facts& facts) {
  const double needed = bytes_of(layout);
  if (needed <= static_cast<double>(facts.free_bytes)) return;
  throw Error(ErrorCode::out_of_memory,
              {.what = "A and b do not fit into the memory of the device",
               .where = "device",
               .found = gigabytes(static_cast<double>(facts.free_bytes)) + " free of " +
                        gigabytes(static_cast<double>(facts.memory_bytes)),
               .expected = gigabytes(needed)});
}

class CudaLibrary final : public device::Library {
 public:
  const device::Failure* count(int* devices) const override {
    return failure().of([&] {
      *devices = 0;
      const cudaError_t status = cudaGetDeviceCount(devices);
      if (status != cudaSuccess || *devices == 0) refuse_devices(status);
    });
  }
  const device::Failure* facts(int device, device::Facts* out) const override {
    return failure().of([&] { fill_facts(device, *out); });
  }
  const device::Failure* rates(int device, device::Rates* out) const override {
    return failure().of([&] { *out = measure_rates(device); });
  }
  const device::Failure* make(int device, const device::Layout& layout,
                              device::Problem** out) const override {
    return failure().of([&] { *out = make_problem(device, layout); });
  }

 private:
  static KeptFailure& failure() {
    thread_local KeptFailure kept;
    return kept;
  }
};

}  // namespace

device::Problem* make_problem(int device, const device::Layout& layout) {
  device::Facts facts;
  fill_facts(device, facts);
  const auto capability = [](int major, int minor) {
    return "compute capability " + std::to_string(major) + "." + std::to_string(minor);
  };
  if (facts.major * 10 + facts.minor < oldest_major * 10 + oldest_minor)
    refuse("the CUDA device is too old for libpolyak_cuda.so", capability(facts.major, facts.minor),
           "at least " + capability(oldest_major, oldest_minor));
  check_memory(layout, facts);
  const UseDevice use(device);
  return (layout.sparse ? make_sparse(device, layout) : make_dense(device, layout)).release();
}

}  // namespace polyak::cuda

extern "C" __attribute__((visibility("default"))) const polyak::internal::device::Library*
polyak_device_library(int interface_version) {
  static const polyak::cuda::CudaLibrary library;
  return interface_version == polyak::internal::device::interface_version ? &library : nullptr;
}
