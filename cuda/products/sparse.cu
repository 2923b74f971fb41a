// Sums over sparse rows. The sum of a column has one order whatever the device does at the same
// time, so no two threads add to one number:
//   all rows       residuals row by row, then the entries of each column in pieces of 2048,
//                  a warp each, then the pieces of each column in ascending order;
//   a short list   a warp for each chunk of the list adds its rows, one after the other, to a
//                  vector of its own (columns of a row differ), then these are added in order.
//
// Bytes moved for all rows: 12 per entry by rows, 12 by columns and 8 scattered, all for double.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/rows.hpp"
#include "cuda/products/vectors.hpp"

namespace polyak::cuda {
namespace {

constexpr int warps = threads / 32;
constexpr Index max_chunks = 1024, max_chunk_numbers = Index{1} << 24, rows_per_chunk = 4;

__device__ Index warp_number() { return Index{blockIdx.x} * warps + threadIdx.x / 32; }

template <class Value>
__device__ double dot_of(const SparseStorage<Value>& A, Index i, const double* x, int lane) {
  double s = 0.0;
  for (Index k = A.starts[i] + lane; k < A.starts[i + 1]; k += 32)
    s = sum(s, product(static_cast<double>(A.values[k]), x[A.columns[k]]));
  return lanes_sum<32>(s);
}

// `offset` is shiftᵀx, or null.
template <class Value>
__device__ double residual_of(const SparseStorage<Value>& A, const Terms& terms, Index i,
                              const double* offset, int lane) {
  double s = dot_of(A, i, terms.x, lane);
  if (offset) s = sum(s, *offset);
  return product(terms.scale_r, terms.b ? sum(s, -terms.b[i]) : s);
}

// factors_t = w·r·scale_a and squares_t = w·r², a warp for each place.
template <class Value>
__global__ void find_factors(SparseStorage<Value> A, Terms terms, const double* offset,
                             double* factors, double* squares) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (Index t = warp_number(); t < terms.count; t += Index{gridDim.x} * warps) {
    const double w = terms.weights ? terms.weights[t] : 1.0;
    const double r =
        taking_part(w, residual_of(A, terms, terms.rows ? terms.rows[t] : t, offset, lane));
    if (lane != 0) continue;
    const double weighted = product(w, r);
    factors[t] = product(weighted, terms.scale_a);
    squares[t] = product(weighted, r);
  }
}

template <class Value>
__global__ void multiply_kernel(SparseStorage<Value> A, const double* x, const double* offset,
                                const double* weights, double scale_a, double* y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (Index i = warp_number(); i < A.n; i += Index{gridDim.x} * warps) {
    double s = dot_of(A, i, x, lane);
    if (offset) s = sum(s, *offset);
    const double root = weights ? __dsqrt_rn(weights[i]) : 1.0;
    if (lane == 0) y[i] = taking_part(root, product(s, product(scale_a, root)));
  }
}

// parts[piece] = Σ y_row·a over the entries of a piece of a column.
template <class Value>
__global__ void sum_pieces(SparseStorage<Value> A, const double* y, double* parts) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (Index p = warp_number(); p < A.pieces; p += Index{gridDim.x} * warps) {
    const Index column = A.piece_column[p];
    const Index first = A.column_starts[column] + (p - A.piece_starts[column]) * piece_entries;
    const Index end = A.column_starts[column + 1];
    const Index last = first + piece_entries < end ? first + piece_entries : end;
    double s = 0.0;
    for (Index k = first + lane; k < last; k += 32)
      s = fused(y[A.rows[k]], static_cast<double>(A.transposed[k]), s);
    s = lanes_sum<32>(s);
    if (lane == 0) parts[p] = s;
  }
}

template <class Value>
__global__ void add_pieces(SparseStorage<Value> A, const double* parts, const double* total,
                           double* g) {
  for_each(A.d, [&](Index j) {
    double s = 0.0;
    if (j < A.stored_columns)
      for (Index p = A.piece_starts[j]; p < A.piece_starts[j + 1]; ++p) s = sum(s, parts[p]);
    g[j] = total ? fused(*total, A.shift[j], s) : s;
  });
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

template <class Value>
void sum_columns(const SparseStorage<Value>& A, const double* y, const double* total,
                 const SparseRoom& room, double* g) {
  if (A.pieces > 0) sum_pieces<<<blocks_for(A.pieces * 32), threads>>>(A, y, room.parts);
  add_pieces<<<blocks_for(A.d), threads>>>(A, room.parts, total, g);
  check_launch("launch of a sum over columns");
}

}  // namespace

template <class Value>
Index sparse_scratch(const SparseStorage<Value>& A) {
  const Index chunks =
      std::min(max_chunks, max_chunk_numbers / std::max<Index>(1, A.stored_columns));
  return std::max(
      {A.pieces, std::max<Index>(1, chunks) * A.stored_columns, parts_of(std::max(A.n, A.d))});
}

template <class Value>
void gradient(const SparseStorage<Value>& A, const Terms& terms, const SparseRoom& room, double* g,
              double* residual2) {
  const double* offset = offset_of(A, terms.x, room);
  // Places of a list may be more than rows: their numbers lie in the room of both.
  find_factors<<<blocks_for(terms.count * 32), threads>>>(A, terms, offset, room.of_rows,
                                                          room.of_squares);
  if (residual2) dot(terms.count, room.of_squares, nullptr, room.parts, residual2);
  const double* total = total_of(A, terms.count, room.of_rows, room);
  if (!terms.rows) return sum_columns(A, room.of_rows, total, room, g);
  if (const Index chunks = chunk_count(A, terms.count); chunks > 0) {
    sum_chunks<<<blocks_for(chunks * 32), threads>>>(A, terms, room.of_rows, chunks, room.parts);
    add_chunks<<<blocks_for(A.d), threads>>>(A, chunks, room.parts, total, g);
    return check_launch("launch of a gradient of sparse rows");
  }
  check(cudaMemsetAsync(room.of_squares, 0, static_cast<std::size_t>(A.n) * sizeof(double)),
        "clear device memory");
  place_factors<<<blocks_for(terms.count), threads>>>(terms, room.of_rows, room.of_squares);
  sum_columns(A, room.of_squares, total, room, g);
}

template <class Value>
void multiply(const SparseStorage<Value>& A, const double* x, const double* weights, double scale_a,
              const SparseRoom& room, double* y) {
  const double* offset = offset_of(A, x, room);
  multiply_kernel<<<blocks_for(A.n * 32), threads>>>(A, x, offset, weights, scale_a, y);
  check_launch("launch of a product with sparse rows");
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
