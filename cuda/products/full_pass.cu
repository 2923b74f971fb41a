// One pass over all dense rows of at most 1024 columns: products, sums, or both from one read.
//
// A warp holds a few rows in registers, two columns of every 64 in each lane: dot products are
// sums over lanes, and the sum Σ f_i·a_i stays in registers until the end. No barrier stands
// between rows, so that loads are limited by memory alone.
//
// Bytes moved: A once, with the hint that it is not read again soon; 8 or 16 a row for b and w.
// Order of the sums: rows in turns of the warps of the grid, whose number is what the device
// holds at a time: the same bits on the same kind of GPU.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/rows.hpp"

namespace polyak::cuda {
namespace {

// What a row's dot product s becomes: y_i = s·factor, or f = w·r·scale_a for the sum.
enum class Mode { gradient, multiply, sum };

/// Warps of a block, rows that a warp holds, blocks wanted on a multiprocessor, and whether rows
/// are loaded one turn ahead: for rows of 64·pairs columns.
template <int pairs>
struct Shape {
  static constexpr bool ahead = pairs <= 2;
  static constexpr int warps = 4;
  static constexpr int rows = pairs <= 1 ? 4 : pairs <= 4 ? 2 : 1;
  static constexpr int blocks = pairs <= 2 ? 4 : pairs <= 8 ? 5 : 3;
  static constexpr int threads = 32 * warps, turn = warps * rows;
};

template <class Value, int pairs, int rows>
struct Held {
  using Pair = typename PairOf<Value>::Type;
  Pair a[rows][pairs];
  double w[rows], b[rows];  // for Mode::sum, w has the factors

  /// Rows beyond the last one, and columns beyond the stride, are zero.
  __device__ void load(const DenseStorage<Value>& A, const Terms& terms, Index first, int lane) {
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      const Index i = first + q;
      const bool inside = i < A.n;
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const Index column = 2 * (p * 32 + lane);
        a[q][p] = {};
        if (inside && column < A.stride)
          a[q][p] = __ldcs(reinterpret_cast<const Pair*>(A.values + i * A.stride + column));
      }
      w[q] = inside && terms.weights ? terms.weights[i] : 1.0;
      b[q] = inside && terms.b ? terms.b[i] : 0.0;
    }
  }
};

/// s_q = a_qᵀx of the rows held, the same bits in each lane.
template <class Value, int pairs, int rows>
__device__ void dot_products(const Held<Value, pairs, rows>& held, const double2* x, int lane,
                             double (&s)[rows]) {
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    const double2 point = x[p * 32 + lane];
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      s[q] = fused(static_cast<double>(held.a[q][p].x), point.x, s[q]);
      s[q] = fused(static_cast<double>(held.a[q][p].y), point.y, s[q]);
    }
  }
#pragma unroll
  for (int q = 0; q < rows; ++q) s[q] = lanes_sum<32>(s[q]);
}

/// g += Σ f_q·a_q.
template <class Value, int pairs, int rows>
__device__ void add_held(const Held<Value, pairs, rows>& held, const double (&f)[rows],
                         double2 (&g)[pairs]) {
#pragma unroll
  for (int p = 0; p < pairs; ++p)
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      g[p].x = fused(f[q], static_cast<double>(held.a[q][p].x), g[p].x);
      g[p].y = fused(f[q], static_cast<double>(held.a[q][p].y), g[p].y);
    }
}

/// The sums of a block's warps, in ascending order, and Σ w·r² behind them.
template <int pairs>
__device__ void write_part(Index d, const double2 (&g)[pairs], double squares, double* part) {
  constexpr int warps = Shape<pairs>::warps, columns = 64 * pairs;
  __shared__ double of_warp[warps][columns + 1];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    of_warp[warp][2 * (p * 32 + lane)] = g[p].x;
    of_warp[warp][2 * (p * 32 + lane) + 1] = g[p].y;
  }
  if (lane == 0) of_warp[warp][columns] = squares;
  __syncthreads();
  for (Index j = threadIdx.x; j <= d; j += Shape<pairs>::threads) {
    const Index from = j < d ? j : columns;
    double s = of_warp[0][from];
    for (int v = 1; v < warps; ++v) s = sum(s, of_warp[v][from]);
    part[j] = s;
  }
}

/// What a warp does with the rows it holds.
template <class Value, int pairs, Mode mode>
struct Sums {
  static constexpr int rows = Shape<pairs>::rows;
  double2 g[pairs] = {};
  double squares = 0.0;

  __device__ void take(const Held<Value, pairs, rows>& held, const Terms& terms, const double2* x,
                       Index n, Index first, int lane, double* y) {
    double f[rows], s[rows] = {};
    if constexpr (mode != Mode::sum) dot_products(held, x, lane, s);
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      if constexpr (mode == Mode::multiply) {
        if (lane == 0 && first + q < n)
          y[first + q] =
              taking_part(held.w[q], product(s[q], product(terms.scale_a, __dsqrt_rn(held.w[q]))));
      } else if constexpr (mode == Mode::gradient) {
        const double r = taking_part(held.w[q], product(terms.scale_r, sum(s[q], -held.b[q])));
        const double weighted = product(held.w[q], r);
        f[q] = product(weighted, terms.scale_a);
        squares = sum(squares, product(weighted, r));
      } else {
        f[q] = held.w[q];
      }
    }
    if constexpr (mode != Mode::multiply) add_held(held, f, g);
  }
};

/// `out`: y, or a part of d + 1 sums for each block. Where registers allow, the next rows are
/// loaded before the present ones are used.
template <class Value, int pairs, Mode mode>
__global__ void __launch_bounds__(Shape<pairs>::threads, Shape<pairs>::blocks)
    pass(DenseStorage<Value> A, Terms terms, double* out) {
  constexpr int rows = Shape<pairs>::rows;
  __shared__ double2 x[pairs * 32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if constexpr (mode != Mode::sum) {
    for (Index j = threadIdx.x; j < 64 * pairs; j += Shape<pairs>::threads)
      reinterpret_cast<double*>(x)[j] = j < A.d ? terms.x[j] : 0.0;
    __syncthreads();
  }
  Sums<Value, pairs, mode> sums;
  Held<Value, pairs, rows> held, next;
  const Index turn = Index{gridDim.x} * Shape<pairs>::turn;
  Index first = (Index{blockIdx.x} * Shape<pairs>::warps + warp) * rows;
  if constexpr (Shape<pairs>::ahead) held.load(A, terms, first, lane);
  while (first < A.n) {
    if constexpr (!Shape<pairs>::ahead) {
      held.load(A, terms, first, lane);
      sums.take(held, terms, x, A.n, first, lane, out);
      first += turn;
    } else {
      next.load(A, terms, first + turn, lane);
      sums.take(held, terms, x, A.n, first, lane, out);
      first += turn;
      if (first >= A.n) break;
      held.load(A, terms, first + turn, lane);
      sums.take(next, terms, x, A.n, first, lane, out);
      first += turn;
    }
  }
  if constexpr (mode != Mode::multiply)
    write_part(A.d, sums.g, sums.squares, out + Index{blockIdx.x} * (A.d + 1));
}

// Blocks that the current device holds at a time, at most as many as have rows.
template <class Shape, class Kernel>
unsigned blocks_of(Kernel kernel, Index n) {
  int device = 0, processors = 0, each = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
        "number of multiprocessors");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, Shape::threads, 0),
        "blocks per multiprocessor");
  const Index turns = (n + Shape::turn - 1) / Shape::turn;
  return static_cast<unsigned>(
      std::clamp<Index>(turns, 1, std::min<Index>(Index{processors} * each, max_pass_blocks)));
}

template <Mode mode, class Value, int pairs>
unsigned launch(const DenseStorage<Value>& A, const Terms& terms, double* out) {
  const auto kernel = pass<Value, pairs, mode>;
  const unsigned blocks = blocks_of<Shape<pairs>>(kernel, A.n);
  kernel<<<blocks, Shape<pairs>::threads>>>(A, terms, out);
  check_launch("launch of a pass over A");
  return blocks;
}

template <Mode mode, class Value>
unsigned launch(const DenseStorage<Value>& A, const Terms& terms, double* out) {
  if (A.d <= 64) return launch<mode, Value, 1>(A, terms, out);
  if (A.d <= 128) return launch<mode, Value, 2>(A, terms, out);
  if (A.d <= 256) return launch<mode, Value, 4>(A, terms, out);
  if (A.d <= 512) return launch<mode, Value, 8>(A, terms, out);
  return launch<mode, Value, 16>(A, terms, out);
}

}  // namespace

template <class Value>
void pass_gradient(const DenseStorage<Value>& A, const Terms& terms, double* scratch, double* g,
                   double* residual2) {
  const unsigned blocks = launch<Mode::gradient>(A, terms, scratch);
  add_parts(blocks, A.d, scratch, g, residual2);
}

template <class Value>
void pass_multiply(const DenseStorage<Value>& A, const double* x, const double* weights,
                   double scale_a, double* y) {
  (void)launch<Mode::multiply>(A, Terms{A.n, nullptr, weights, nullptr, x, scale_a, 1.0}, y);
}

template <class Value>
void pass_sum(const DenseStorage<Value>& A, const double* y, double* scratch, double* g) {
  const unsigned blocks =
      launch<Mode::sum>(A, Terms{A.n, nullptr, y, nullptr, nullptr, 1.0, 1.0}, scratch);
  add_parts(blocks, A.d, scratch, g, nullptr);
}

#define POLYAK_PASS(Value)                                                                      \
  template void pass_gradient(const DenseStorage<Value>&, const Terms&, double*, double*,       \
                              double*);                                                         \
  template void pass_multiply(const DenseStorage<Value>&, const double*, const double*, double, \
                              double*);                                                         \
  template void pass_sum(const DenseStorage<Value>&, const double*, double*, double*);
POLYAK_PASS(double)
POLYAK_PASS(float)
#undef POLYAK_PASS

}  // namespace polyak::cuda
