// Sums over dense rows: the list is cut into chunks, a number that depends on its length and on
// d only; a block computes the residuals of 32 rows and adds these rows to the sum of its chunk.
//
// Bytes moved for a row: the row once from memory and once more from cache; for 32 rows,
// 16 bytes a column of the chunk's sum, in cache.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/rows.hpp"

namespace polyak::cuda {
namespace {

constexpr int warps = threads / 32, group = 32, per_warp = group / warps;
constexpr Index max_chunks = 1024, max_scratch = Index{1} << 26;

Index chunk_count(Index rows, Index d) {
  const Index groups = (rows + group - 1) / group;
  return std::clamp<Index>(std::min(groups, max_scratch / (d + 1)), 1, max_chunks);
}

struct Group {
  Index row[group];
  double factor[group];  // w·r·scale_a
  double square[group];  // w·r²
};

// Lane l has the elements j with j mod 32 = l; the same bits in each lane.
template <class Value>
__device__ double dot_of(const Value* a, const double* x, Index d, int lane) {
  double s = 0.0;
  for (Index j = lane; j < d; j += 32) s = sum(s, product(static_cast<double>(a[j]), x[j]));
  return lanes_sum<32>(s);
}

// Where terms have no x, their weights are the factors.
template <class Value>
__device__ void find_factors(const DenseStorage<Value>& A, const Terms& terms, Index first,
                             Index last, Group& of) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int q = 0; q < per_warp; ++q) {
    const int place = warp * per_warp + q;
    const Index t = first + place;
    if (t >= last) break;
    const Index i = terms.rows ? terms.rows[t] : t;
    const double w = terms.weights ? terms.weights[t] : 1.0;
    double r = 1.0;
    if (terms.x)
      r = product(terms.scale_r, sum(dot_of(A.values + i * A.stride, terms.x, A.d, lane),
                                     terms.b ? -terms.b[i] : 0.0));
    if (lane != 0) continue;
    r = taking_part(w, r);
    of.row[place] = i;
    of.factor[place] = product(product(w, r), terms.scale_a);
    of.square[place] = product(product(w, r), r);
  }
}

template <class Value>
__device__ void add_group(const DenseStorage<Value>& A, const Group& of, int count, bool begin,
                          double* partial) {
  for (Index j = threadIdx.x; j <= A.d; j += threads) {
    double s = begin ? 0.0 : partial[j];
#pragma unroll 8
    for (int i = 0; i < count; ++i)
      s = j < A.d ? fused(of.factor[i], static_cast<double>(A.values[of.row[i] * A.stride + j]), s)
                  : sum(s, of.square[i]);
    partial[j] = s;
  }
}

template <class Value>
__global__ void __launch_bounds__(threads)
    sum_chunks(DenseStorage<Value> A, Terms terms, double* parts) {
  __shared__ Group of;
  const Index chunk = blockIdx.x, chunks = gridDim.x;
  const Index begin = terms.count * chunk / chunks, end = terms.count * (chunk + 1) / chunks;
  double* partial = parts + chunk * (A.d + 1);
  if (begin == end)
    for (Index j = threadIdx.x; j <= A.d; j += threads) partial[j] = 0.0;
  for (Index first = begin; first < end; first += group) {
    const Index last = first + group < end ? first + group : end;
    find_factors(A, terms, first, last, of);
    __syncthreads();
    add_group(A, of, static_cast<int>(last - first), first == begin, partial);
    __syncthreads();
  }
}

// Chunks of a column: 32 sums of every 32nd, then these in ascending order. Column d of the parts
// is Σ w·r².
__global__ void add_chunks(Index chunks, Index d, const double* parts, double* g,
                           double* residual2) {
  __shared__ double of[32][33];
  const Index j = Index{blockIdx.x} * 32 + threadIdx.x;
  double s = 0.0;
  if (j <= d)
#pragma unroll 4
    for (Index c = threadIdx.y; c < chunks; c += 32) s = sum(s, parts[c * (d + 1) + j]);
  of[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y != 0 || j > d) return;
  for (int q = 1; q < 32; ++q) s = sum(s, of[q][threadIdx.x]);
  if (j < d)
    g[j] = s;
  else if (residual2)
    *residual2 = s;
}

template <class Value>
__global__ void multiply_kernel(DenseStorage<Value> A, const double* x, const double* weights,
                                double scale_a, double* y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Index all = Index{gridDim.x} * warps;
  for (Index i = Index{blockIdx.x} * warps + threadIdx.x / 32; i < A.n; i += all) {
    const double s = dot_of(A.values + i * A.stride, x, A.d, lane);
    const double root = weights ? __dsqrt_rn(weights[i]) : 1.0;
    if (lane == 0) y[i] = taking_part(root, product(s, product(scale_a, root)));
  }
}

}  // namespace

Index dense_scratch(Index count, Index d) { return chunk_count(count, d) * (d + 1); }

void add_parts(Index parts, Index d, const double* from, double* g, double* residual2) {
  add_chunks<<<static_cast<unsigned>(d / 32 + 1), dim3(32, 32)>>>(parts, d, from, g, residual2);
  check_launch("launch of a sum of parts");
}

template <class Value>
void gradient(const DenseStorage<Value>& A, const Terms& terms, double* scratch, double* g,
              double* residual2) {
  const Index chunks = chunk_count(terms.count, A.d);
  sum_chunks<<<static_cast<unsigned>(chunks), threads>>>(A, terms, scratch);
  add_parts(chunks, A.d, scratch, g, residual2);
  check_launch("launch of a gradient of dense rows");
}

template <class Value>
void multiply(const DenseStorage<Value>& A, const double* x, const double* weights, double scale_a,
              double* y) {
  multiply_kernel<<<blocks_for(A.n * 32), threads>>>(A, x, weights, scale_a, y);
  check_launch("launch of a product with dense rows");
}

template <class Value>
void add_rows(const DenseStorage<Value>& A, const double* y, double* scratch, double* g) {
  const Terms terms{A.n, nullptr, y, nullptr, nullptr, 1.0, 1.0};
  gradient(A, terms, scratch, g, nullptr);
}

#define POLYAK_DENSE(Value)                                                                    \
  template void gradient(const DenseStorage<Value>&, const Terms&, double*, double*, double*); \
  template void multiply(const DenseStorage<Value>&, const double*, const double*, double,     \
                         double*);                                                             \
  template void add_rows(const DenseStorage<Value>&, const double*, double*, double*);
POLYAK_DENSE(double)
POLYAK_DENSE(float)
#undef POLYAK_DENSE

}  // namespace polyak::cuda
