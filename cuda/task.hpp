#pragma once

// What a kernel is told: plain values and pointers into device memory. Internal.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/arithmetic.hpp"
#include "cuda/draw.hpp"

namespace polyak::cuda {

/// Row i of A starts at values + i·stride, 16 bytes aligned; the elements between d and
/// stride are zero.
template <class Value>
struct DeviceRows {
  const Value* values;
  std::int64_t n, d, stride;
  const double* b;
  const double* weights;  // w_i, or null for ones
};

/// A number that may change with k: value[(k − first)·stride], stride 0 or 1.
struct Schedule {
  const double* value;
  int stride;
};

/// 16 bytes that are written and read as one: a partial sum and the iteration it is of.
struct alignas(16) Word {
  double value;
  std::uint64_t epoch;
};

/// Iterations first .. last−1 of one method; or, with `gradient`, one full gradient.
template <class Value>
struct Task {
  DeviceRows<Value> rows;
  RowTable table;
  Key key;
  Method method;
  std::int64_t batch, first, last;
  double factor;  // 1/B
  Schedule alpha, beta;
  const double *x, *previous;      // d values each: x_first and x_{first−1}
  double *next_x, *next_previous;  // x_last and x_{last−1}; other memory
  double* gradient;  // null, or d+1 values: the gradient over all rows at x, then Σ w·r²
  double* scratch;   // generic kernels: partial sums and the gradient point
  Word* words;       // exchange between clusters, all epochs below `epoch` + 1
  std::uint64_t epoch;
};

}  // namespace polyak::cuda
