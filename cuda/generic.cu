// One persistent kernel with cooperative launch and nothing newer. The batch is cut into a
// number of chunks that depends on B and d only, so the sums have the same order on every
// GPU. An iteration has two barriers of the grid: after the sums of the chunks, after the step.
//
// Bytes moved for a row: 64 of the table, 8 of b, the row once from memory and once more
// from cache; for 32 rows, 16 bytes a column of the chunk's sum, in cache.

#include <cooperative_groups.h>

#include <algorithm>

#include "cuda/buffer.hpp"
#include "cuda/generic.hpp"

namespace polyak::cuda::generic {
namespace {

constexpr int threads = 256, warps = threads / 32, group = 32, per_warp = group / warps;
constexpr std::int64_t max_chunks = 512, max_scratch = std::int64_t{1} << 26;

__host__ __device__ std::int64_t chunks_for(std::int64_t d) {
  const std::int64_t fitting = max_scratch / (d + 1);
  return fitting < 1 ? 1 : fitting < max_chunks ? fitting : max_chunks;
}
template <class Value>
__host__ __device__ std::int64_t rows_of(const Task<Value>& task) {
  return task.gradient ? task.rows.n : task.batch;
}
template <class Value>
__host__ __device__ std::int64_t chunk_count(const Task<Value>& task) {
  const std::int64_t groups = (rows_of(task) + group - 1) / group, most = chunks_for(task.rows.d);
  return groups < most ? groups : most;
}

struct Rows {  // of one group
  std::int64_t row[group];
  double weight[group];
  double weighted[group];  // w·r
  double square[group];    // w·r²
};

/// Row and weight of each place of a group, one thread each; beyond the end a row with
/// weight zero.
template <class Value>
__device__ void find_rows(const Task<Value>& task, std::int64_t k, std::int64_t first,
                          std::int64_t last, Rows& rows) {
  const int place = static_cast<int>(threadIdx.x);
  if (place >= group) return;
  const std::int64_t t = first + place < last ? first + place : first;
  std::int64_t row = t;
  double weight = 1.0;
  if (!task.gradient) {
    const auto bits =
        draw_bits(task.key, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(t));
    const Drawn drawn = find_row(task.table, task.table.lines[bits >> task.table.shift], bits);
    row = static_cast<std::int64_t>(drawn.row);
    weight =
        draw_weight(task.rows.weights ? task.rows.weights[row] : 1.0, task.factor, drawn.points);
  } else if (task.rows.weights) {
    weight = task.rows.weights[row];
  }
  rows.row[place] = row;
  rows.weight[place] = first + place < last ? weight : 0.0;
}

/// r = aᵀx − b of this warp's rows: lane l has the elements j with j mod 32 = l.
template <class Value>
__device__ void residuals(const Task<Value>& task, const double* x, Rows& rows) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Value* a[per_warp];
  double s[per_warp] = {};
#pragma unroll
  for (int q = 0; q < per_warp; ++q)
    a[q] = task.rows.values + rows.row[warp * per_warp + q] * task.rows.stride;
  for (std::int64_t j = lane; j < task.rows.d; j += 32) {
    const double point = x[j];
#pragma unroll
    for (int q = 0; q < per_warp; ++q) s[q] = fused(static_cast<double>(a[q][j]), point, s[q]);
  }
#pragma unroll
  for (int q = 0; q < per_warp; ++q) {
    for (int distance = 16; distance > 0; distance /= 2)
      s[q] = sum(s[q], __shfl_xor_sync(~0u, s[q], distance));
    const int place = warp * per_warp + q;
    const double r = sum(s[q], -task.rows.b[rows.row[place]]);
    if (lane == q) {
      rows.weighted[place] = rows.weight[place] * r;
      rows.square[place] = rows.weighted[place] * r;
    }
  }
}

/// Adds Σ w·r·a of a group to the chunk's sum; a thread has every 256th column.
template <class Value>
__device__ void add_group(const Task<Value>& task, const Rows& rows, int count, bool begin,
                          double* partial) {
  for (std::int64_t j = threadIdx.x; j <= task.rows.d; j += threads) {
    double s = begin ? 0.0 : partial[j];
    const bool inside = j < task.rows.d;
#pragma unroll 8
    for (int i = 0; i < count; ++i)
      s = inside
              ? fused(rows.weighted[i],
                      static_cast<double>(task.rows.values[rows.row[i] * task.rows.stride + j]), s)
              : sum(s, rows.square[i]);
    partial[j] = s;
  }
}

template <class Value>
__device__ void sum_chunk(const Task<Value>& task, const double* x, std::int64_t k,
                          std::int64_t chunk, std::int64_t chunks, double* partial, Rows& rows) {
  const std::int64_t total = rows_of(task);
  const std::int64_t begin = total * chunk / chunks, end = total * (chunk + 1) / chunks;
  for (std::int64_t first = begin; first < end; first += group) {
    const std::int64_t last = first + group < end ? first + group : end;
    find_rows(task, k, first, last, rows);
    __syncthreads();
    residuals(task, x, rows);
    __syncthreads();
    add_group(task, rows, static_cast<int>(last - first), first == begin, partial);
    __syncthreads();
  }
}

/// The sum over chunks in ascending order, then the step of this column.
template <class Value>
__device__ void step_column(const Task<Value>& task, std::int64_t k, std::int64_t j,
                            std::int64_t chunks, const double* partial, double* point) {
  double g = 0.0;
#pragma unroll 8
  for (std::int64_t c = 0; c < chunks; ++c) g = sum(g, partial[c * (task.rows.d + 1) + j]);
  if (task.gradient) {
    task.gradient[j] = g;
  } else if (j < task.rows.d) {
    const std::int64_t i = k - task.first, next = k + 1 < task.last ? i + 1 : i;
    const Entry entry =
        step(task.method, task.alpha.value[i * task.alpha.stride],
             task.beta.value[i * task.beta.stride], g, {task.next_x[j], task.next_previous[j]});
    task.next_x[j] = entry.x;
    task.next_previous[j] = entry.previous;
    point[j] = gradient_point(task.method, task.beta.value[next * task.beta.stride], entry);
  }
}

template <class Value>
__global__ void __launch_bounds__(threads) iterate(const __grid_constant__ Task<Value> task) {
  __shared__ Rows rows;
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t d = task.rows.d, chunks = chunk_count(task);
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  double *point = task.scratch, *partial = task.scratch + d;
  for (std::int64_t j = thread; j < d; j += all) {
    const Entry entry{task.x[j], task.previous[j]};
    point[j] = gradient_point(task.method, task.beta.value[0], entry);
    task.next_x[j] = entry.x;
    task.next_previous[j] = entry.previous;
  }
  grid.sync();
  for (std::int64_t k = task.first; k < task.last; ++k) {
    for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x)
      sum_chunk(task, point, k, c, chunks, partial + c * (d + 1), rows);
    grid.sync();
    for (std::int64_t j = thread; j <= d; j += all) step_column(task, k, j, chunks, partial, point);
    grid.sync();
  }
}

template <class Value>
int launch_any(Task<Value> task, cudaStream_t stream) {
  int device = 0, processors = 0, per_processor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
        "number of multiprocessors");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, iterate<Value>, threads, 0),
        "blocks per multiprocessor");
  const auto resident = std::int64_t{processors} * per_processor;
  const int blocks = static_cast<int>(std::min(resident, chunk_count(task)));
  void* arguments[] = {&task};
  check(cudaLaunchCooperativeKernel(iterate<Value>, dim3(static_cast<unsigned>(blocks)),
                                    dim3(threads), arguments, 0, stream),
        "launch of the generic kernel");
  return blocks;
}

}  // namespace

std::size_t scratch_size(std::int64_t d) {
  return static_cast<std::size_t>(d + chunks_for(d) * (d + 1));
}

int launch(const Task<double>& task, cudaStream_t stream) { return launch_any(task, stream); }
int launch(const Task<float>& task, cudaStream_t stream) { return launch_any(task, stream); }

}  // namespace polyak::cuda::generic
