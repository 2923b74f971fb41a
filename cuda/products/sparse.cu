// Sums over sparse rows. The sum of a column has one order whatever the device does at the same
// time, so no two threads add to one number:
//   all rows       residuals row by row, then the pieces of the columns (by_columns.hpp), then the
//                  sums of the pieces of each column in ascending order;
//   a short list   a warp for each chunk of the list adds its rows, one after the other, to a
//                  vector of its own (columns of a row differ), then these are added in order.
//
// Bytes moved for all rows: 12 per entry by rows and 12 by columns, for double. The vector that an
// entry is multiplied with is read from shared memory where it fits: 32 lanes that read 32 lines of
// a cache take as many cycles, and from memory banks a few.

#include <type_traits>

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/lists.cuh"
#include "cuda/products/rows.hpp"
#include "cuda/products/vectors.hpp"

namespace polyak::cuda {
namespace {

constexpr int wide = 512;
constexpr Index max_chunks = 1024, max_chunk_numbers = Index{1} << 24, rows_per_chunk = 4;

__device__ Index warp_number() { return Index{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32; }
__device__ Index all_warps() { return Index{gridDim.x} * (blockDim.x / 32); }

// x itself, or its copy in shared memory.
template <bool in_shared>
__device__ const double* vector_of(const double* x, Index length) {
  if constexpr (in_shared) {
    extern __shared__ double room[];
    for (Index j = threadIdx.x; j < length; j += blockDim.x) room[j] = x[j];
    __syncthreads();
    return room;
  } else {
    return x;
  }
}

/// Residuals r = scale_r·(a_iᵀx + offset − b_i) from dot products: factors = w·r·scale_a, and the
/// thread's part of Σ w·r².
struct Residuals {
  Terms terms;
  const double* offset;  // shiftᵀx, or null
  double* factors;
  double squares = 0.0;

  __device__ void add(Index t, Index i, double s) {
    const double w = terms.weights ? terms.weights[t] : 1.0;
    if (offset) s = sum(s, *offset);
    if (terms.b) s = sum(s, -terms.b[i]);
    const double r = taking_part(w, product(terms.scale_r, s)), weighted = product(w, r);
    factors[t] = product(weighted, terms.scale_a);
    squares = fused(weighted, r, squares);
  }
  __device__ void store(double* of_blocks) {
    const double all = block_sum(squares);
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = all;
  }
};

template <class Value, bool in_shared>
__global__ void __launch_bounds__(wide, 2)
    slice_residuals(Slices<Value> A, Index columns, Residuals out, double* of_blocks) {
  const double* x = vector_of<in_shared>(out.terms.x, columns);
  each_slice(A, warp_number(), A.count, all_warps(), x,
             [&](Index i, double s) { out.add(i, i, s); });
  out.store(of_blocks);
}

// Rows t = 0 .. count−1 of a list, or all. Places are those of the list, or with `by_row` rows.
template <class Value>
__global__ void __launch_bounds__(wide)
    list_residuals(SparseStorage<Value> A, const Index* rows, Index count, bool by_row, int lanes,
                   Residuals out, double* of_blocks) {
  const auto list_of = [&](Index t) {
    const Index i = rows ? rows[t] : t;
    return Entries{A.starts[i], A.starts[i + 1]};
  };
  each_dot(Group(lanes, blockIdx.x, gridDim.x), 0, count, A.columns, A.values, out.terms.x, list_of,
           [&](Index t, double s) {
             const Index i = rows ? rows[t] : t;
             out.add(by_row ? i : t, i, s);
           });
  out.store(of_blocks);
}

/// y_i = scale_a·√w_i·(a_iᵀx + offset) from dot products.
struct ProductRows {
  const double *x, *offset, *weights;
  double scale_a;
  double* y;

  __device__ void add(Index i, double s) const {
    if (offset) s = sum(s, *offset);
    const double root = weights ? __dsqrt_rn(weights[i]) : 1.0;
    y[i] = taking_part(root, product(s, product(scale_a, root)));
  }
};

template <class Value, bool in_shared>
__global__ void __launch_bounds__(wide, 2)
    slice_products(Slices<Value> A, Index columns, ProductRows out) {
  const double* x = vector_of<in_shared>(out.x, columns);
  each_slice(A, warp_number(), A.count, all_warps(), x, [&](Index i, double s) { out.add(i, s); });
}

template <class Value>
__global__ void __launch_bounds__(wide) list_products(SparseStorage<Value> A, const Index* rows,
                                                      Index count, int lanes, ProductRows out) {
  const auto list_of = [&](Index t) {
    const Index i = rows ? rows[t] : t;
    return Entries{A.starts[i], A.starts[i + 1]};
  };
  each_dot(Group(lanes, blockIdx.x, gridDim.x), 0, count, A.columns, A.values, out.x, list_of,
           [&](Index t, double s) { out.add(rows ? rows[t] : t, s); });
}

// parts[place of a piece] = Σ y_row·a over its entries.
template <class Value>
__global__ void __launch_bounds__(wide, 2)
    sum_pieces(ColumnPart<Value> A, Index n, Index block_rows, const double* y, double* parts) {
  const Index warp = threadIdx.x / 32, step = wide / 32;
  const Index last = A.share_tiles[blockIdx.x + 1];
  for (Index k = A.share_tiles[blockIdx.x]; k < last; ++k) {
    const Tile tile = A.tiles[k];
    const Index rows = n - tile.first_row < block_rows ? n - tile.first_row : block_rows;
    __syncthreads();  // the last tile is done with the shared memory
    const double* of_block = vector_of<true>(y + tile.first_row, rows);
    each_slice(A.slices, tile.first + warp, tile.last, step, of_block,
               [&](Index place, double s) { parts[place] = s; });
  }
}

// The same with y read from memory: blocks of rows are long.
template <class Value>
__global__ void __launch_bounds__(wide, 2)
    sum_far_pieces(ColumnPart<Value> A, const double* y, double* parts) {
  const Index warp = threadIdx.x / 32, step = wide / 32;
  for (Index k = A.share_tiles[blockIdx.x]; k < A.share_tiles[blockIdx.x + 1]; ++k) {
    const Tile tile = A.tiles[k];
    each_slice(A.slices, tile.first + warp, tile.last, step, y + tile.first_row,
               [&](Index place, double s) { parts[place] = s; });
  }
}

// g_j = the sums of the pieces of column j, by warp w of a block those in places w, w + warps, …
__global__ void add_pieces(Index d, Index stored_columns, const Index* starts,
                           const std::int32_t* pieces, const double* parts, const double* shift,
                           const double* total, double* g) {
  constexpr int ahead = 4;
  __shared__ double of_warps[32][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const Index j = Index{blockIdx.x} * 32 + lane;
  const Index last = j < stored_columns ? starts[j + 1] : 0;
  double s = 0.0;
  for (Index p = j < stored_columns ? starts[j] + warp : 0; p < last; p += ahead * warps) {
    double v[ahead];
#pragma unroll
    for (int c = 0; c < ahead; ++c)
      v[c] = p + c * warps < last ? parts[pieces[p + c * warps]] : 0.0;
#pragma unroll
    for (int c = 0; c < ahead; ++c) s = sum(s, v[c]);
  }
  of_warps[warp][lane] = s;
  __syncthreads();
  if (warp != 0 || j >= d) return;
  for (unsigned w = 1; w < warps; ++w) s = sum(s, of_warps[w][lane]);
  g[j] = total ? fused(*total, shift[j], s) : s;
}

// factors of a list, as numbers of rows: equal rows lie next to each other and are added in order.
__global__ void place_factors(Terms terms, const double* factors, double* y) {
  for_each(terms.count, [&](Index t) {
    const Index i = terms.rows[t];
    if (t > 0 && terms.rows[t - 1] == i) return;
    double s = factors[t];
    for (Index u = t + 1; u < terms.count && terms.rows[u] == i; ++u) s = sum(s, factors[u]);
    y[i] = s;
  });
}

template <class Value>
__global__ void sum_chunks(SparseStorage<Value> A, Terms terms, const double* factors, Index chunks,
                           double* parts) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Index chunk = warp_number();
  if (chunk >= chunks) return;
  double* partial = parts + chunk * A.stored_columns;
  for (Index j = lane; j < A.stored_columns; j += 32) partial[j] = 0.0;
  const Index last = terms.count * (chunk + 1) / chunks;
  for (Index t = terms.count * chunk / chunks; t < last; ++t) {
    __syncwarp();
    const Index i = terms.rows[t];
    for (Index k = A.starts[i] + lane; k < A.starts[i + 1]; k += 32) {
      double& s = partial[A.columns[k]];
      s = fused(factors[t], static_cast<double>(A.values[k]), s);
    }
  }
}

template <class Value>
__global__ void add_chunks(SparseStorage<Value> A, Index chunks, const double* parts,
                           const double* total, double* g) {
  for_each(A.d, [&](Index j) {
    double s = 0.0;
    if (j < A.stored_columns)
#pragma unroll 8
      for (Index c = 0; c < chunks; ++c) s = sum(s, parts[c * A.stored_columns + j]);
    g[j] = total ? fused(*total, A.shift[j], s) : s;
  });
}

// 0 where all columns are summed instead: vectors of the chunks would take longer than A.
template <class Value>
Index chunk_count(const SparseStorage<Value>& A, Index count) {
  const Index columns = std::max<Index>(1, A.stored_columns);
  const Index chunks = std::clamp<Index>(
      std::min((count + rows_per_chunk - 1) / rows_per_chunk, max_chunk_numbers / columns), 1,
      max_chunks);
  const bool pays = count / chunks <= 64 && (chunks == 1 || chunks * columns <= 4 * A.entries);
  return pays ? chunks : 0;
}

// shiftᵀx in room.scalars[0], or null without a shift.
template <class Value>
const double* offset_of(const SparseStorage<Value>& A, const double* x, const SparseRoom& room) {
  if (!A.shift) return nullptr;
  dot(A.d, A.shift, x, room.parts, room.scalars);
  return room.scalars;
}

// Σ y in room.scalars[1], likewise.
template <class Value>
const double* total_of(const SparseStorage<Value>& A, Index count, const double* y,
                       const SparseRoom& room) {
  if (!A.shift) return nullptr;
  dot(count, y, nullptr, room.parts, room.scalars + 1);
  return room.scalars + 1;
}

constexpr const char* launch_name = "launch of a sum over sparse rows";

// Blocks that stay: two on each multiprocessor, if they have so much to do.
unsigned staying(const Processors& device, Index lanes) {
  return static_cast<unsigned>(
      std::clamp<Index>((lanes + wide - 1) / wide, 1, staying_blocks(device)));
}

template <class Kernel, class... Arguments>
void launch(unsigned blocks, std::size_t bytes, Kernel kernel, Arguments... arguments) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "shared memory of a sum over sparse rows");
  kernel<<<blocks, wide, bytes>>>(arguments...);
  check_launch(launch_name);
}

// call(true_type) where x fits into shared memory and is read often enough to pay for the copy of
// each block.
template <class Value, class Call>
void with_x(const SparseStorage<Value>& A, Call call) {
  const std::size_t bytes = static_cast<std::size_t>(A.stored_columns) * sizeof(double);
  if (bytes <= A.device.shared_bytes && A.entries >= 4 * A.stored_columns * A.device.count)
    call(std::true_type(), bytes);
  else
    call(std::false_type(), std::size_t{0});
}

// Residuals of all rows: those in slices, and those that are not.
template <class Value>
void find_residuals(const SparseStorage<Value>& A, const Residuals& out, double* parts,
                    double* residual2) {
  double* squares = parts;
  if (A.by_rows.count > 0) {
    const unsigned blocks = staying(A.device, A.by_rows.count * slice_lists);
    with_x(A, [&](auto in_shared, std::size_t bytes) {
      launch(blocks, bytes, slice_residuals<Value, decltype(in_shared)::value>, A.by_rows,
             A.stored_columns, out, squares);
    });
    squares += blocks;
  }
  if (A.listed > 0) {
    const int lanes = A.listed_lanes();
    const unsigned blocks = staying(A.device, A.listed * lanes);
    list_residuals<<<blocks, wide>>>(A, A.listed_rows, A.listed, true, lanes, out, squares);
    check_launch(launch_name);
    squares += blocks;
  }
  if (residual2) dot(squares - parts, parts, nullptr, squares, residual2);
}

template <class Value>
void find_residuals_of_list(const SparseStorage<Value>& A, const Residuals& out, double* parts,
                            double* residual2) {
  const int lanes = lanes_for(A.entries, A.n);
  const unsigned blocks = staying(A.device, out.terms.count * lanes);
  list_residuals<<<blocks, wide>>>(A, out.terms.rows, out.terms.count, false, lanes, out, parts);
  check_launch(launch_name);
  if (residual2) dot(blocks, parts, nullptr, parts + blocks, residual2);
}

template <class Value>
void sum_columns(const SparseStorage<Value>& A, const double* y, const double* total,
                 const SparseRoom& room, double* g) {
  const ByColumns<Value>& columns = *A.by_columns;
  for (const ColumnPart<Value>& part : columns.parts()) {
    const auto blocks = static_cast<unsigned>(part.shares);
    if (columns.block_rows() <= shared_rows)
      launch(blocks, static_cast<std::size_t>(columns.block_rows()) * sizeof(double),
             sum_pieces<Value>, part, A.n, columns.block_rows(), y, room.parts);
    else
      launch(blocks, 0, sum_far_pieces<Value>, part, y, room.parts);
  }
  const Index stored = columns.pieces() > 0 ? A.stored_columns : 0;
  unsigned warps = 1;
  while (warps < 32 && Index{warps} * 8 * stored < columns.pieces()) warps *= 2;
  add_pieces<<<static_cast<unsigned>((A.d + 31) / 32), 32 * warps>>>(
      A.d, stored, columns.column_starts(), columns.column_pieces(), room.parts, A.shift, total, g);
  check_launch("launch of a sum over columns");
}

}  // namespace

template <class Value>
Index sparse_scratch(const SparseStorage<Value>& A) {
  const Index chunks =
      std::min(max_chunks, max_chunk_numbers / std::max<Index>(1, A.stored_columns));
  const Index squares = 2 * staying_blocks(A.device);
  return std::max({A.by_columns->pieces(), std::max<Index>(1, chunks) * A.stored_columns,
                   parts_of(std::max(A.n, A.d)), squares + parts_of(squares)});
}

template <class Value>
void gradient(const SparseStorage<Value>& A, const Terms& terms, const SparseRoom& room, double* g,
              double* residual2) {
  const Residuals out{terms, offset_of(A, terms.x, room), room.of_rows};
  if (!terms.rows) {
    find_residuals(A, out, room.parts, residual2);
    return sum_columns(A, room.of_rows, total_of(A, terms.count, room.of_rows, room), room, g);
  }
  find_residuals_of_list(A, out, room.parts, residual2);
  const double* total = total_of(A, terms.count, room.of_rows, room);
  if (const Index chunks = chunk_count(A, terms.count); chunks > 0) {
    sum_chunks<<<blocks_for(chunks * 32), threads>>>(A, terms, room.of_rows, chunks, room.parts);
    add_chunks<<<blocks_for(A.d), threads>>>(A, chunks, room.parts, total, g);
    return check_launch("launch of a gradient of sparse rows");
  }
  check(cudaMemsetAsync(room.of_all_rows, 0, static_cast<std::size_t>(A.n) * sizeof(double)),
        "clear device memory");
  place_factors<<<blocks_for(terms.count), threads>>>(terms, room.of_rows, room.of_all_rows);
  sum_columns(A, room.of_all_rows, total, room, g);
}

template <class Value>
void multiply(const SparseStorage<Value>& A, const double* x, const double* weights, double scale_a,
              const SparseRoom& room, double* y) {
  const ProductRows out{x, offset_of(A, x, room), weights, scale_a, y};
  if (A.by_rows.count > 0)
    with_x(A, [&](auto in_shared, std::size_t bytes) {
      launch(staying(A.device, A.by_rows.count * slice_lists), bytes,
             slice_products<Value, decltype(in_shared)::value>, A.by_rows, A.stored_columns, out);
    });
  if (A.listed == 0) return;
  const int lanes = A.listed_lanes();
  list_products<<<staying(A.device, A.listed * lanes), wide>>>(A, A.listed_rows, A.listed, lanes,
                                                               out);
  check_launch(launch_name);
}

template <class Value>
void add_rows(const SparseStorage<Value>& A, const double* y, const SparseRoom& room, double* g) {
  sum_columns(A, y, total_of(A, A.n, y, room), room, g);
}

#define POLYAK_SPARSE(Value)                                                                    \
  template Index sparse_scratch(const SparseStorage<Value>&);                                   \
  template void gradient(const SparseStorage<Value>&, const Terms&, const SparseRoom&, double*, \
                         double*);                                                              \
  template void multiply(const SparseStorage<Value>&, const double*, const double*, double,     \
                         const SparseRoom&, double*);                                           \
  template void add_rows(const SparseStorage<Value>&, const double*, const SparseRoom&, double*);
POLYAK_SPARSE(double)
POLYAK_SPARSE(float)
#undef POLYAK_SPARSE

}  // namespace polyak::cuda
