#pragma once

// Memory of a device with one owner, and the check of every CUDA call. Internal: this
// header includes CUDA's.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace polyak::cuda {

/// Throws polyak::Error unless `status` is success: out_of_memory (71) when the device
/// refused memory, io (74) for every other fault of the driver or the device.
void check(cudaError_t status, const char* call);

/// Makes `device` the one of this thread, and puts the former one back.
class UseDevice {
 public:
  explicit UseDevice(int device);
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;

 private:
  int former_ = 0;
};

void* allocate(std::size_t bytes, const char* what);
void release(void* memory) noexcept;

/// `count` values in the memory of the device that is current when it is made.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::size_t count, const char* what)
      : data_(static_cast<T*>(allocate(count * sizeof(T), what))), count_(count) {}
  Buffer(std::span<const T> values, const char* what) : Buffer(values.size(), what) {
    write(values);
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { release(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }

  /// The first values.size() values, from and to host memory.
  void write(std::span<const T> values) {
    check(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
          "copy to the device");
  }
  void read(std::span<T> values) const {
    check(cudaMemcpy(values.data(), data_, values.size_bytes(), cudaMemcpyDeviceToHost),
          "copy from the device");
  }
  void zero() { check(cudaMemset(data_, 0, count_ * sizeof(T)), "clear device memory"); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// Host memory that the device reads by itself, and the end of the last copy from it.
class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// At least `bytes` bytes, when no copy reads them any more.
  void* room(std::size_t bytes);
  bool holds(const void* address) const;
  /// A copy from here was started.
  void started();

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  cudaEvent_t done_ = nullptr;
};

/// Two of them for the current device. Host memory for copies takes milliseconds to get, so a pair
/// that is given back is kept for the next problem of the process.
class StagingPair {
 public:
  explicit StagingPair(int device);
  ~StagingPair();
  StagingPair(const StagingPair&) = delete;
  StagingPair& operator=(const StagingPair&) = delete;

  Staging& operator[](int number) { return pair_->of[number]; }
  Staging* begin() { return pair_->of; }
  Staging* end() { return pair_->of + 2; }

 private:
  struct Pair {
    Staging of[2];
  };
  static std::unique_ptr<Pair>& kept(int device);

  int device_;
  std::unique_ptr<Pair> pair_;
};

}  // namespace polyak::cuda
