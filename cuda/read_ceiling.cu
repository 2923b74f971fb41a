#include <algorithm>
#include <vector>

#include "cuda/buffer.hpp"
#include "cuda/read_ceiling.hpp"

namespace polyak::cuda {
namespace {

// Four loads of 16 bytes under way in every thread. Bytes moved: 16 a double2, once.
__global__ void read_all(const double2* p, std::size_t count, double* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  double s = 0.0;
  for (; i + 3 * stride < count; i += 4 * stride) {
    const double2 a = p[i], b = p[i + stride], c = p[i + 2 * stride], d = p[i + 3 * stride];
    s += (a.x + a.y) + (b.x + b.y) + (c.x + c.y) + (d.x + d.y);
  }
  for (; i < count; i += stride) s += p[i].x + p[i].y;
  if (s == 1.2345) *out = s;  // never, but the compiler cannot know
}

// Not zeros, which some memory moves faster.
__global__ void fill(double2* p, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const auto h = static_cast<double>((i * 0x9E3779B97F4A7C15ull) >> 11);
    p[i] = {h, 1.0 / (h + 1.0)};
  }
}

}  // namespace

double read_ceiling(int device, std::size_t bytes) {
  const UseDevice use(device);
  Buffer<double2> data(bytes / sizeof(double2), "data to read");
  Buffer<double> out(1, "a number");
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  fill<<<2048, 512>>>(data.data(), data.size());
  std::vector<double> rates;
  for (int i = 0; i < 9; ++i) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    read_all<<<132 * 16, 512>>>(data.data(), data.size(), out.data());
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "the reading kernel");
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (i >= 2) rates.push_back(static_cast<double>(bytes) / (1e-3 * static_cast<double>(ms)));
  }
  (void)cudaEventDestroy(begin);
  (void)cudaEventDestroy(end);
  std::nth_element(rates.begin(), rates.begin() + 3, rates.end());
  return rates[3];
}

}  // namespace polyak::cuda
