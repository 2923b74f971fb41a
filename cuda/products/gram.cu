// H = Σ f_i² [a_i b_i]ᵀ[a_i b_i] over all dense rows, one triangle, by the FP64 matrix units.
//
// H is cut into tiles of 128 × 128. A block sums one tile over a contiguous part of the rows: it
// copies 16 or 32 rows of the columns of the tile into shared memory as doubles, times f_i, while
// it multiplies the ones before. Of a tile on the diagonal only pieces of 16 × 8 below it are
// computed. A second kernel adds the parts of the rows in ascending order.
//
// Bytes moved: A once up to 128 columns; beyond, a row is read for each tile, mostly from L2.
// Products: n·d²/2 and what tiles and pieces have too much. The order of the sums follows from
// the sizes and the number of multiprocessors: the same bits on the same kind of GPU.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/matrix_unit.cuh"
#include "cuda/products/rows.hpp"

namespace polyak::cuda {
namespace {

constexpr int tile = static_cast<int>(GramCut::tile), warps = threads / 32;
constexpr int steps_k = 16;  // rows of one matrix instruction

/// [A b] times the factors of its rows: scale·√w_i, or scale.
template <class Value>
struct Source {
  using Pair = typename PairOf<Value>::Type;
  static constexpr bool narrow = sizeof(Value) < sizeof(double);
  DenseStorage<Value> A;
  const double* b;  // `sides` vectors of n
  Index sides;
  const double* weights;
  double scale;

  __host__ __device__ Index width() const { return A.d + sides; }

  __device__ double factor(Index i) const {
    return weights && i < A.n ? product(scale, __dsqrt_rn(weights[i])) : scale;
  }
  __device__ double at(Index i, Index j) const {
    if (j < A.d) return static_cast<double>(A.values[i * A.stride + j]);
    return j < width() ? b[(j - A.d) * A.n + i] : 0.0;
  }
  /// Columns j and j + 1, j even; zero behind the last row and column. Where a column is the last
  /// of A, or one of b, a float cannot hold it: edge().
  __device__ Pair pair(Index i, Index j) const {
    Pair out = {};
    if (i >= A.n) return out;
    if (j + 1 < A.d) return __ldg(reinterpret_cast<const Pair*>(A.values + i * A.stride + j));
    if constexpr (!narrow) out = edge(i, j);
    return out;
  }
  __device__ double2 edge(Index i, Index j) const {
    return i < A.n ? double2{at(i, j), at(i, j + 1)} : double2{0.0, 0.0};
  }
};

/// `rows` rows of up to 64·pairs columns on their way into shared memory: a warp has every
/// eighth row, a lane two columns of every 64. Nothing here waits for what is loaded: it becomes
/// double when it is stored.
template <class Value, int rows, int pairs>
struct Staged {
  static constexpr bool narrow = Source<Value>::narrow;
  typename Source<Value>::Pair value[rows / warps][pairs];
  double2 edge[narrow ? rows / warps : 1];  // of the lane's last pair

  __device__ static int column_of(int p) {
    return 2 * (p * 32 + static_cast<int>(threadIdx.x) % 32);
  }
  __device__ static int row_of(int q) { return q * warps + static_cast<int>(threadIdx.x) / 32; }
  // A lane has other pairs with columns of b only where b has more than 64: those wait.
  __device__ static bool last_of_lane(int p, int width) {
    return p + 1 == pairs || column_of(p + 1) >= width;
  }

  __device__ void load(const Source<Value>& from, Index row, Index column, int width) {
#pragma unroll
    for (int q = 0; q < rows / warps; ++q)
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const int j = column_of(p);
        value[q][p] = {};
        if (j >= width) continue;
        value[q][p] = from.pair(row + row_of(q), column + j);
        if constexpr (narrow)
          if (last_of_lane(p, width) && column + j + 1 >= from.A.d)
            edge[q] = from.edge(row + row_of(q), column + j);
      }
  }
  __device__ void store(const Source<Value>& from, Index row, Index column, int width, int pitch,
                        double* to) const {
#pragma unroll
    for (int q = 0; q < rows / warps; ++q) {
      const double f = from.factor(row + row_of(q));
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const int j = column_of(p);
        if (j >= width) continue;
        double2 v = {static_cast<double>(value[q][p].x), static_cast<double>(value[q][p].y)};
        if constexpr (narrow)
          if (column + j + 1 >= from.A.d)
            v = last_of_lane(p, width) ? edge[q] : from.edge(row + row_of(q), column + j);
        *reinterpret_cast<double2*>(to + row_of(q) * pitch + j) = {product(f, v.x),
                                                                   product(f, v.y)};
      }
    }
  }
};

/// Sixteen rows of sixteen (left) or eight (right) columns from `column` on. Lanes of a row are
/// 4 modulo 16 numbers apart, so that no two lanes of a half warp share a bank.
__device__ void load_left(const double* panel, int pitch, int column, int lane, Left& a) {
  const double* from = panel + lane % 4 * pitch + column + lane / 4;
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    a.of[2 * s] = from[4 * s * pitch];
    a.of[2 * s + 1] = from[4 * s * pitch + 8];
  }
}
__device__ void load_right(const double* panel, int pitch, int column, int lane, Right& b) {
  const double* from = panel + lane % 4 * pitch + column + lane / 4;
#pragma unroll
  for (int s = 0; s < 4; ++s) b.of[s] = from[4 * s * pitch];
}

/// A piece of 16 × 8 goes to the tile's part.
__device__ void write_piece(const Piece& c, int row, int column, int lane, double* part) {
  double* to = part + (row + lane / 4) * tile + column + lane % 4 * 2;
  *reinterpret_cast<double2*>(to) = {c.of[0], c.of[1]};
  *reinterpret_cast<double2*>(to + 8 * tile) = {c.of[2], c.of[3]};
}

__host__ __device__ constexpr int padded(Index columns) {
  return static_cast<int>((columns + 15) / 16 * 16);
}
__host__ __device__ constexpr int pitch_of(int width) { return width + 4; }

/// Pieces of a tile on the diagonal, strip by strip: strip s has the columns up to its own.
struct Triangle {
  int strips, columns;  // pieces of 16 rows, of 8 columns

  __host__ __device__ explicit Triangle(Index width)
      : strips(static_cast<int>((width + 15) / 16)), columns(static_cast<int>((width + 7) / 8)) {}
  __host__ __device__ int of_strip(int s) const {
    return 2 * (s + 1) < columns ? 2 * (s + 1) : columns;
  }
  __host__ __device__ int pieces() const {
    int count = 0;
    for (int s = 0; s < strips; ++s) count += of_strip(s);
    return count;
  }
};

__device__ Index columns_of(Index width, Index first) {
  return width - first < tile ? width - first : tile;
}

/// Rows [part·each, …) of the tile on the diagonal number blockIdx.x; `most` pieces a warp.
template <class Value, int most, int rows, int pairs>
__global__ void __launch_bounds__(threads, most <= 7 ? 2 : 1)
    diagonal_kernel(Source<Value> from, Index each, double* parts) {
  extern __shared__ __align__(16) double memory[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index column = Index{blockIdx.x} * tile;
  const Triangle all(columns_of(from.width(), column));
  const int width = 16 * all.strips, pitch = pitch_of(width), pieces = all.pieces();
  const int first = warp * pieces / warps, count = (warp + 1) * pieces / warps - first;
  int first_strip = 0, first_column = first;
  while (first_column >= all.of_strip(first_strip) && first_strip + 1 < all.strips)
    first_column -= all.of_strip(first_strip++);

  Piece sums[most] = {};
  Staged<Value, rows, pairs> coming;
  Index row = Index{blockIdx.y} * each;
  const Index end = row + each < from.A.n ? row + each : from.A.n;
  double* panel = memory;
  double* next = memory + rows * pitch;
  coming.load(from, row, column, width);
  coming.store(from, row, column, width, pitch, panel);
  __syncthreads();
  for (; row < end; row += rows) {
    const bool more = row + rows < end;
    if (more) coming.load(from, row + rows, column, width);
#pragma unroll 1
    for (int k = 0; k < rows; k += steps_k) {
      const double* here = panel + k * pitch;
      int strip = first_strip, piece = first_column;
      Left a;
      load_left(here, pitch, 16 * strip, lane, a);
#pragma unroll
      for (int t = 0; t < most; ++t) {
        if (t >= count) break;
        Right b;
        load_right(here, pitch, 8 * piece, lane, b);
        multiply_add(a, b, sums[t]);
        if (++piece == all.of_strip(strip) && t + 1 < count) {
          piece = 0;
          load_left(here, pitch, 16 * ++strip, lane, a);
        }
      }
    }
    if (more) coming.store(from, row + rows, column, width, pitch, next);
    __syncthreads();
    double* const used = panel;
    panel = next;
    next = used;
  }
  double* part = parts + (Index{blockIdx.x} * gridDim.y + blockIdx.y) * tile * tile;
  int strip = first_strip, piece = first_column;
#pragma unroll
  for (int t = 0; t < most; ++t) {
    if (t >= count) break;
    write_piece(sums[t], 16 * strip, 8 * piece, lane, part);
    if (++piece == all.of_strip(strip)) {
      piece = 0;
      ++strip;
    }
  }
}

/// The tile (I, J < I) number blockIdx.x below the diagonal. A warp has 32 × 64 of it.
template <class Value>
__global__ void __launch_bounds__(threads, 1)
    square_kernel(Source<Value> from, Index each, double* parts) {
  constexpr int rows = 16, pitch = pitch_of(tile), panel_size = rows * pitch;
  extern __shared__ __align__(16) double memory[];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  Index I = 1, J = blockIdx.x;
  while (J >= I) J -= I++;
  const int top = warp / 2 * 32, left = warp % 2 * 64;

  Piece sums[2][8] = {};
  Staged<Value, rows, 2> coming_I, coming_J;
  Index row = Index{blockIdx.y} * each;
  const Index end = row + each < from.A.n ? row + each : from.A.n;
  double* panel = memory;
  double* next = memory + 2 * panel_size;
  const auto load = [&](Index at) {
    coming_I.load(from, at, I * tile, tile);
    coming_J.load(from, at, J * tile, tile);
  };
  const auto store = [&](Index at, double* to) {
    coming_I.store(from, at, I * tile, tile, pitch, to);
    coming_J.store(from, at, J * tile, tile, pitch, to + panel_size);
  };
  load(row);
  store(row, panel);
  __syncthreads();
  for (; row < end; row += rows) {
    const bool more = row + rows < end;
    if (more) load(row + rows);
    Left a[2];
    load_left(panel, pitch, top, lane, a[0]);
    load_left(panel, pitch, top + 16, lane, a[1]);
#pragma unroll
    for (int t = 0; t < 8; ++t) {
      Right b;
      load_right(panel + panel_size, pitch, left + 8 * t, lane, b);
      multiply_add(a[0], b, sums[0][t]);
      multiply_add(a[1], b, sums[1][t]);
    }
    if (more) store(row + rows, next);
    __syncthreads();
    double* const used = panel;
    panel = next;
    next = used;
  }
  double* part = parts + (Index{blockIdx.x} * gridDim.y + blockIdx.y) * tile * tile;
#pragma unroll
  for (int s = 0; s < 2; ++s)
#pragma unroll
    for (int t = 0; t < 8; ++t) write_piece(sums[s][t], top + 16 * s, left + 8 * t, lane, part);
}

/// Both triangles of H from the parts, which are added in the order of the rows.
__global__ void add_parts_kernel(Index width, GramCut cut, const double* parts, double* H) {
  const double* squares = parts + cut.tiles * cut.diagonal_parts * tile * tile;
  for_each(width * width, [&](Index place) {
    const Index i = place / width, j = place % width;
    if (j > i) return;
    const Index I = i / tile, J = j / tile, at = i % tile * tile + j % tile;
    const Index count = I == J ? cut.diagonal_parts : cut.square_parts;
    const double* from = (I == J ? parts + I * count * tile * tile
                                 : squares + (I * (I - 1) / 2 + J) * count * tile * tile) +
                         at;
    double s = 0.0;
#pragma unroll 8
    for (Index k = 0; k < count; ++k) s = sum(s, from[k * tile * tile]);
    H[i * width + j] = s;
    H[j * width + i] = s;
  });
}

template <class Kernel>
void allow_memory(Kernel kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "shared memory of the Gram kernel");
}

template <class Value, int most, int rows, int pairs>
void launch_diagonal(const Source<Value>& from, const GramCut& cut, double* parts) {
  const int width = padded(std::min<Index>(from.width(), tile));
  const std::size_t bytes = sizeof(double) * 2 * rows * static_cast<std::size_t>(pitch_of(width));
  const auto kernel = diagonal_kernel<Value, most, rows, pairs>;
  allow_memory(kernel, bytes);
  const dim3 grid(static_cast<unsigned>(cut.tiles), static_cast<unsigned>(cut.diagonal_parts));
  kernel<<<grid, threads, bytes>>>(from, cut.diagonal_rows, parts);
  check_launch("launch of the Gram kernel");
}

template <class Value>
void launch_diagonal(const Source<Value>& from, const GramCut& cut, double* parts) {
  const int pieces = Triangle(std::min<Index>(from.width(), tile)).pieces();
  const int most = (pieces + warps - 1) / warps;
  if (from.width() <= 32) return launch_diagonal<Value, 1, 64, 1>(from, cut, parts);
  if (from.width() <= 64) return launch_diagonal<Value, 3, 64, 1>(from, cut, parts);
  if (most <= 5) return launch_diagonal<Value, 5, 32, 2>(from, cut, parts);
  if (most <= 7) return launch_diagonal<Value, 7, 16, 2>(from, cut, parts);
  return launch_diagonal<Value, 9, 32, 2>(from, cut, parts);
}

template <class Value>
void launch_squares(const Source<Value>& from, const GramCut& cut, double* parts) {
  constexpr std::size_t bytes = sizeof(double) * 4 * 16 * pitch_of(tile);
  allow_memory(square_kernel<Value>, bytes);
  const dim3 grid(static_cast<unsigned>(cut.tiles * (cut.tiles - 1) / 2),
                  static_cast<unsigned>(cut.square_parts));
  square_kernel<Value><<<grid, threads, bytes>>>(from, cut.square_rows, parts);
  check_launch("launch of the Gram kernel");
}

}  // namespace

template <class Value>
void gram(const DenseStorage<Value>& A, const double* b, Index sides, const double* weights,
          double scale, const GramCut& cut, double* parts, double* H) {
  const Source<Value> from{A, b, sides, weights, scale};
  launch_diagonal(from, cut, parts);
  if (cut.tiles > 1)
    launch_squares(from, cut, parts + cut.tiles * cut.diagonal_parts * tile * tile);
  add_parts_kernel<<<blocks_for(from.width() * from.width()), threads>>>(from.width(), cut, parts,
                                                                         H);
  check_launch("launch of the sum of Gram parts");
}

#define POLYAK_GRAM(Value)                                                                    \
  template void gram(const DenseStorage<Value>&, const double*, Index, const double*, double, \
                     const GramCut&, double*, double*);
POLYAK_GRAM(double)
POLYAK_GRAM(float)
#undef POLYAK_GRAM

}  // namespace polyak::cuda
