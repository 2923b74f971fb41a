// Kaczmarz steps one after the other, in one warp: each needs the x of the one before. The rows
// to come are fetched into the L2 cache meanwhile.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/rows.hpp"

namespace polyak::cuda {
namespace {

constexpr Index ahead = 8;            // rows
constexpr Index shared_limit = 4096;  // numbers of x in shared memory

__device__ void fetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

__device__ double clamped(const RowSteps& run, Index j, double value) {
  if (!run.lower) return value;
  const double low = run.lower[j], high = run.upper[j];
  return value < low ? low : high < value ? high : value;
}

// −steps·(scale·r), the factor of scale·a, as in src/kernels/reference.hpp.
__device__ double factor_of(const RowSteps& run, Index t, Index i, double dot) {
  const double r = sum(dot, -run.b[i]);
  return product(-run.steps[t], product(run.scale, r));
}

/// One row of a lane's columns j = lane, lane + 32, …, with what its step needs.
template <class Value, int per_lane>
struct StepRow {
  Value a[per_lane];
  double b, step;

  __device__ void load(const DenseStorage<Value>& A, const RowSteps& run, Index t, int lane) {
    if (t >= run.count) return;
    const Index i = run.rows[t];
#pragma unroll
    for (int c = 0; c < per_lane; ++c) {
      const Index j = lane + 32 * c;
      a[c] = j < A.d ? A.values[i * A.stride + j] : Value{0};
    }
    b = run.b[i];
    step = run.steps[t];
  }
};

// Short rows: x stays in registers, and the next `depth` rows are on their way. Rows do not
// depend on x, so that a step takes as long as its dot product.
template <class Value, int per_lane, int depth>
__global__ void short_steps(DenseStorage<Value> A, RowSteps run) {
  const int lane = static_cast<int>(threadIdx.x);
  double x[per_lane];
  StepRow<Value, per_lane> row[depth];
#pragma unroll
  for (int c = 0; c < per_lane; ++c) x[c] = lane + 32 * c < A.d ? run.x[lane + 32 * c] : 0.0;
#pragma unroll
  for (int k = 0; k < depth; ++k) row[k].load(A, run, k, lane);
  for (Index first = 0; first < run.count; first += depth) {
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      if (first + k >= run.count) break;
      double s = 0.0;
#pragma unroll
      for (int c = 0; c < per_lane; ++c)
        s = sum(s, product(static_cast<double>(row[k].a[c]), x[c]));
      const double r = sum(lanes_sum<32>(s), -row[k].b);
      const double f = product(-row[k].step, product(run.scale, r));
#pragma unroll
      for (int c = 0; c < per_lane; ++c) {
        x[c] = sum(x[c], product(f, product(run.scale, static_cast<double>(row[k].a[c]))));
        if (run.lower && lane + 32 * c < A.d) x[c] = clamped(run, lane + 32 * c, x[c]);
      }
      row[k].load(A, run, first + depth + k, lane);
    }
  }
#pragma unroll
  for (int c = 0; c < per_lane; ++c)
    if (lane + 32 * c < A.d) run.x[lane + 32 * c] = x[c];
}

// Rows of any length. A lane keeps the columns j with j mod 32 = lane to itself.
template <class Value>
__global__ void dense_steps(DenseStorage<Value> A, RowSteps run, bool in_shared) {
  extern __shared__ double room[];
  const int lane = static_cast<int>(threadIdx.x);
  constexpr Index line = 128 / sizeof(Value);
  double* x = in_shared ? room : run.x;
  if (in_shared)
    for (Index j = lane; j < A.d; j += 32) x[j] = run.x[j];
  for (Index t = 0; t < run.count; ++t) {
    if (t + ahead < run.count)
      for (Index j = lane * line; j < A.d; j += 32 * line)
        fetch(A.values + run.rows[t + ahead] * A.stride + j);
    const Index i = run.rows[t];
    const Value* a = A.values + i * A.stride;
    double s = 0.0;
    for (Index j = lane; j < A.d; j += 32) s = sum(s, product(static_cast<double>(a[j]), x[j]));
    const double c = factor_of(run, t, i, lanes_sum<32>(s));
    for (Index j = lane; j < A.d; j += 32)
      x[j] = clamped(run, j, sum(x[j], product(c, product(run.scale, static_cast<double>(a[j])))));
  }
  if (in_shared)
    for (Index j = lane; j < A.d; j += 32) run.x[j] = x[j];
}

// Columns of a row differ, so that lanes never add to one number; barriers order the steps.
template <class Value>
__global__ void sparse_steps(SparseStorage<Value> A, RowSteps run) {
  const int lane = static_cast<int>(threadIdx.x);
  double* x = run.x;
  for (Index t = 0; t < run.count; ++t) {
    const Index i = run.rows[t], first = A.starts[i], last = A.starts[i + 1];
    double s = 0.0;
    for (Index k = first + lane; k < last; k += 32)
      s = sum(s, product(static_cast<double>(A.values[k]), x[A.columns[k]]));
    if (A.shift)
      for (Index j = lane; j < A.d; j += 32) s = sum(s, product(A.shift[j], x[j]));
    const double c = factor_of(run, t, i, lanes_sum<32>(s));
    __syncwarp();
    for (Index k = first + lane; k < last; k += 32) {
      const Index j = A.columns[k];
      const double moved =
          sum(x[j], product(c, product(run.scale, static_cast<double>(A.values[k]))));
      x[j] = A.shift ? moved : clamped(run, j, moved);
    }
    __syncwarp();
    if (!A.shift) continue;
    for (Index j = lane; j < A.d; j += 32)
      x[j] = clamped(run, j, sum(x[j], product(c, product(run.scale, A.shift[j]))));
    __syncwarp();
  }
}

}  // namespace

template <class Value>
void row_steps(const DenseStorage<Value>& A, const RowSteps& run) {
  if (A.d <= 1024) {
    const auto kernel = A.d <= 32    ? short_steps<Value, 1, 8>
                        : A.d <= 128 ? short_steps<Value, 4, 8>
                        : A.d <= 512 ? short_steps<Value, 16, 3>
                                     : short_steps<Value, 32, 2>;
    kernel<<<1, 32>>>(A, run);
    return check_launch("launch of row steps");
  }
  const bool in_shared = A.d <= shared_limit;
  const std::size_t bytes = in_shared ? static_cast<std::size_t>(A.d) * sizeof(double) : 0;
  dense_steps<<<1, 32, bytes>>>(A, run, in_shared);
  check_launch("launch of row steps");
}

template <class Value>
void row_steps(const SparseStorage<Value>& A, const RowSteps& run) {
  sparse_steps<<<1, 32>>>(A, run);
  check_launch("launch of row steps");
}

template void row_steps(const DenseStorage<double>&, const RowSteps&);
template void row_steps(const DenseStorage<float>&, const RowSteps&);
template void row_steps(const SparseStorage<double>&, const RowSteps&);
template void row_steps(const SparseStorage<float>&, const RowSteps&);

}  // namespace polyak::cuda
