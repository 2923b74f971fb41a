#include "cuda/buffer.hpp"

#include <string>

#include "polyak/error.hpp"

namespace polyak::cuda {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // an error that does not stay must not meet the next call
  const ErrorCode code =
      status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::io;
  throw Error(code,
              {.what = "a call to the CUDA device failed",
               .where = call,
               .found = std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status),
               .expected = "success"});
}

UseDevice::UseDevice(int device) {
  check(cudaGetDevice(&former_), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice");
}

UseDevice::~UseDevice() { (void)cudaSetDevice(former_); }

// Sizes are compared with what is free before memory is asked for, so that the message
// can name both.
void* allocate(std::size_t bytes, const char* what) {
  if (bytes == 0) return nullptr;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  void* memory = nullptr;
  if (bytes > free || cudaMalloc(&memory, bytes) != cudaSuccess) {
    (void)cudaGetLastError();
    throw Error(ErrorCode::out_of_memory,
                {.what = "the memory of the device is too small",
                 .where = what,
                 .found = std::to_string(free) + " bytes free of " + std::to_string(total),
                 .expected = std::to_string(bytes) + " bytes"});
  }
  return memory;
}

void release(void* memory) noexcept { (void)cudaFree(memory); }

}  // namespace polyak::cuda
