#include "cuda/buffer.hpp"

#include <map>
#include <mutex>
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

Staging::~Staging() {
  if (done_) (void)cudaEventDestroy(done_);
  (void)cudaFreeHost(memory_);
}

void* Staging::room(std::size_t bytes) {
  if (!done_) check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "event of a copy");
  check(cudaEventSynchronize(done_), "copy to the device");
  if (bytes <= bytes_) return memory_;
  (void)cudaFreeHost(std::exchange(memory_, nullptr));
  bytes_ = 0;
  check(cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault), "host memory for copies");
  bytes_ = bytes;
  return memory_;
}

bool Staging::holds(const void* address) const {
  const auto* from = static_cast<const char*>(memory_);
  return memory_ && address >= from && address < from + bytes_;
}

void Staging::started() { check(cudaEventRecord(done_), "event of a copy"); }

namespace {
std::mutex& pairs() {
  static std::mutex mutex;
  return mutex;
}
}  // namespace

// Never destroyed: at the end of a process the driver may be gone before static objects are.
std::unique_ptr<StagingPair::Pair>& StagingPair::kept(int device) {
  static auto* all = new std::map<int, std::unique_ptr<Pair>>;
  return (*all)[device];
}

StagingPair::StagingPair(int device) : device_(device) {
  const std::lock_guard lock(pairs());
  pair_ = kept(device) ? std::move(kept(device)) : std::make_unique<Pair>();
}

StagingPair::~StagingPair() {
  const std::lock_guard lock(pairs());
  if (!kept(device_)) kept(device_) = std::move(pair_);
}

}  // namespace polyak::cuda
