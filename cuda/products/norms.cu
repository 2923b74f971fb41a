// Squared norms of dense rows and columns with the bits of the CPU (src/kernels/reference.hpp):
// squares are rounded before they are added, row sums have eight lanes, column sums go down the
// rows of a chunk, and the chunks are those of the CPU.
//
// Bytes moved: A once for the rows and once for the columns.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/rows.hpp"

namespace polyak::cuda {
namespace {

constexpr int lanes = 8, loads_of_row = 8, loads_of_column = 24;

// The entry in the units of the problem.
template <class Value>
__device__ double entry(Value a, const double* units, Index j) {
  const auto v = static_cast<double>(a);
  return units ? product(units[j], v) : v;
}

// Eight lanes to a row; so many loads are started before the first is used.
template <class Value>
__global__ void __launch_bounds__(threads)
    row_norms_kernel(DenseStorage<Value> A, const double* units, double scale, double* out) {
  const Index place = Index{blockIdx.x} * (threads / lanes) + threadIdx.x / lanes;
  const Index i = place < A.n ? place : A.n - 1;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const Value* row = A.values + i * A.stride;
  LaneSquares of_lane;
  for (Index first = lane; first < A.d; first += lanes * loads_of_row) {
    Value a[loads_of_row];
#pragma unroll
    for (int k = 0; k < loads_of_row; ++k) {
      const Index j = first + k * lanes;
      a[k] = j < A.d ? __ldcs(row + j) : Value{0};
    }
#pragma unroll
    for (int k = 0; k < loads_of_row; ++k) {
      const Index j = first + k * lanes;
      if (j < A.d) of_lane.add(entry(a[k], units, j), scale);
    }
  }
  const double sum = lanes_sum<lanes>(of_lane.sum);
  const unsigned not_zero = __ballot_sync(~0u, !of_lane.zero);
  const bool zero = ((not_zero >> (threadIdx.x % 32 / lanes * lanes)) & 0xffu) == 0;
  if (lane == 0 && place < A.n) out[place] = visible_norm2(sum, zero);
}

/// So many entries of a column on their way into registers; zeros behind the last row.
template <class Value>
struct ColumnPiece {
  Value a[loads_of_column];

  __device__ void load(const Value* column, Index stride, Index first, Index last) {
#pragma unroll
    for (int k = 0; k < loads_of_column; ++k)
      a[k] = first + k < last ? __ldcs(column + (first + k) * stride) : Value{0};
  }
  // Zeros add nothing, nor do rows of weight 0.
  __device__ void add_to(double& s, double unit, const double* weights, double scale, Index first,
                         Index last) const {
#pragma unroll
    for (int k = 0; k < loads_of_column; ++k) {
      const double v = product(unit, static_cast<double>(a[k]));
      if (!weights)
        s = sum(s, visible_square(v, scale));
      else if (first + k < last && weights[first + k] > 0.0)
        s = sum(s, visible_square(v, product(scale, __dsqrt_rn(weights[first + k]))));
    }
  }
};

// One thread for a column of a chunk, parts[chunk·d + j]. The next piece is loaded before the
// present one is added: a sum is one chain, and few threads must keep the memory busy.
template <class Value>
__global__ void __launch_bounds__(32)
    column_norms_kernel(DenseStorage<Value> A, const double* units, const double* weights,
                        double scale, Index chunks, double* parts) {
  const Index j = Index{blockIdx.x} * 32 + threadIdx.x, chunk = blockIdx.y;
  if (j >= A.d) return;
  const Index last = (chunk + 1) * A.n / chunks;
  const double unit = units ? units[j] : 1.0;
  const Value* column = A.values + j;
  Index first = chunk * A.n / chunks;
  double s = 0.0;
  ColumnPiece<Value> here, next;
  here.load(column, A.stride, first, last);
  while (first < last) {
    next.load(column, A.stride, first + loads_of_column, last);
    here.add_to(s, unit, weights, scale, first, last);
    first += loads_of_column;
    here.load(column, A.stride, first + loads_of_column, last);
    next.add_to(s, unit, weights, scale, first, last);
    first += loads_of_column;
  }
  parts[chunk * A.d + j] = s;
}

__global__ void add_chunks_kernel(Index d, Index chunks, const double* parts, double* out) {
  for_each(d, [&](Index j) {
    double s = 0.0;
    for (Index chunk = 0; chunk < chunks; ++chunk) s = sum(s, parts[chunk * d + j]);
    out[j] = s;
  });
}

// Units are powers of two (or 0, which removes a column): unit·a is exact unless its exponent
// leaves the range, and then division does not give a back.
template <class Value>
__global__ void find_lost_kernel(DenseStorage<Value> A, const double* units, int* lost) {
  for_each(A.n * A.stride, [&](Index place) {
    const Index j = place % A.stride;
    if (j >= A.d || units[j] == 0.0) return;
    const auto a = static_cast<double>(A.values[place]);
    const auto scaled = static_cast<double>(static_cast<Value>(product(units[j], a)));
    if (__ddiv_rn(scaled, units[j]) != a) *lost = 1;
  });
}

template <class Value>
__global__ void scale_columns_kernel(Value* values, DenseStorage<Value> A, const double* units) {
  for_each(A.n * A.stride, [&](Index place) {
    const Index j = place % A.stride;
    if (j < A.d)
      values[place] = static_cast<Value>(product(units[j], static_cast<double>(values[place])));
  });
}

}  // namespace

template <class Value>
void find_lost_entries(const DenseStorage<Value>& A, const double* units, int* lost) {
  find_lost_kernel<<<blocks_for(A.n * A.stride), threads>>>(A, units, lost);
  check_launch("launch of a check of units");
}

template <class Value>
void scale_columns(Value* values, const DenseStorage<Value>& A, const double* units) {
  scale_columns_kernel<<<blocks_for(A.n * A.stride), threads>>>(values, A, units);
  check_launch("launch of the scaling of columns");
}

template <class Value>
void row_norms(const DenseStorage<Value>& A, const double* units, double scale, double* out) {
  const Index blocks = (A.n * lanes + threads - 1) / threads;
  row_norms_kernel<<<static_cast<unsigned>(blocks), threads>>>(A, units, scale, out);
  check_launch("launch of row norms");
}

template <class Value>
void column_norms(const DenseStorage<Value>& A, const double* units, const double* weights,
                  double scale, Index chunks, double* parts, double* out) {
  const dim3 grid(static_cast<unsigned>((A.d + 31) / 32), static_cast<unsigned>(chunks));
  column_norms_kernel<<<grid, 32>>>(A, units, weights, scale, chunks, parts);
  add_chunks_kernel<<<blocks_for(A.d), threads>>>(A.d, chunks, parts, out);
  check_launch("launch of column norms");
}

#define POLYAK_NORMS(Value)                                                                    \
  template void row_norms(const DenseStorage<Value>&, const double*, double, double*);         \
  template void column_norms(const DenseStorage<Value>&, const double*, const double*, double, \
                             Index, double*, double*);                                         \
  template void find_lost_entries(const DenseStorage<Value>&, const double*, int*);            \
  template void scale_columns(Value*, const DenseStorage<Value>&, const double*);
POLYAK_NORMS(double)
POLYAK_NORMS(float)
#undef POLYAK_NORMS

}  // namespace polyak::cuda
