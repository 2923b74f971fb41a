#pragma once

// Column warps: the sum over the row warps, over the blocks of the cluster, over the
// clusters, each in a fixed order; then the step, and the new x to every block.
//
// In a cluster each block owns a slice of the columns: blocks send their sums of a slice
// to its owner (S::columns numbers a block), owners of the same slice in different clusters
// exchange theirs through words in L2 (16 bytes a column and cluster, polled by one warp),
// and each owner sends the new entries to the blocks of its own cluster.

#include "cuda/hopper/sums.cuh"

namespace polyak::cuda::hopper {

__device__ __forceinline__ double at(const Schedule& s, std::int64_t i) {
  return s.value[i * s.stride];
}

/// The entry of column j; zero beyond d.
template <class Value>
__device__ __forceinline__ Entry load_entry(const Task<Value>& task, int j) {
  return j < task.rows.d ? Entry{task.x[j], task.previous[j]} : Entry{0.0, 0.0};
}
template <class Value>
__device__ __forceinline__ void store_entry(const Task<Value>& task, int j, const Entry& entry) {
  if (task.gradient || j >= task.rows.d) return;
  task.next_x[j] = entry.x;
  task.next_previous[j] = entry.previous;
}

/// The parameters of one iteration, loaded one iteration before they are used; those of
/// the iteration after the last are not used.
struct Parameters {
  double alpha, beta, next_beta;
};
template <class Value>
__device__ __forceinline__ Parameters parameters(const Task<Value>& task, std::int64_t k) {
  const std::int64_t count = task.last - task.first;
  const std::int64_t i = min(k - task.first, count - 1), next = min(i + 1, count - 1);
  return {at(task.alpha, i), at(task.beta, i), at(task.beta, next)};
}

/// What an iteration does with the gradient of column j; returns the next gradient point.
template <class Value>
__device__ __forceinline__ double update(const Task<Value>& task, const Parameters& p, int j,
                                         double g, Entry& entry) {
  if (task.gradient) {  // every cluster stores the same bits
    if (j <= task.rows.d) task.gradient[j] = g;
    return 0.0;
  }
  if (j >= task.rows.d) return 0.0;
  entry = step(task.method, p.alpha, p.beta, g, entry);
  return gradient_point(task.method, p.next_beta, entry);
}

/// A cluster of one block: a thread has the same columns throughout.
template <class S>
__device__ void step_alone(Shared<S>& shared, const Task<typename S::Value>& task, const Part& part,
                           int thread) {
  constexpr int per_thread = (S::columns + S::column_threads - 1) / S::column_threads;
  ColumnSum<S> own;
  Entry entry[per_thread];
#pragma unroll
  for (int c = 0; c < per_thread; ++c) entry[c] = load_entry(task, thread + c * S::column_threads);
  Parameters coming = parameters(task, task.first);
  for (std::int64_t k = task.first; k < task.last; ++k) {
    const Parameters p = coming;
    coming = parameters(task, k + 1);
    own.prepare(shared, part, thread);
    meet(sums_ready, S::meeting);
#pragma unroll
    for (int c = 0; c < per_thread; ++c) {
      const int j = thread + c * S::column_threads;
      if (j < S::columns) shared.x[j] = update(task, p, j, own(shared, j), entry[c]);
    }
    if (k + 1 < task.last) meet_without_waiting(point_ready, S::meeting);
  }
#pragma unroll
  for (int c = 0; c < per_thread; ++c) store_entry(task, thread + c * S::column_threads, entry[c]);
}

/// Where a block stands in the grid, and which columns are its slice.
template <class S>
struct Position {
  int rank = static_cast<int>(cluster_rank());
  int cluster = static_cast<int>(blockIdx.x) / S::cluster;
  int clusters = static_cast<int>(gridDim.x) / S::cluster;
  int first = rank * S::slice;
  int owned = max(0, min(S::slice, S::columns - first));

  __device__ Word* words(Word* all, int parity, int chunk) const {
    return all + ((parity * S::cluster + rank) * S::chunks + chunk) * (max_clusters * S::width);
  }
};

/// Sends this block's sums of all columns to the owners of their slices.
template <class S>
__device__ __forceinline__ void scatter_sums(Shared<S>& shared, const ColumnSum<S>& own, int rank,
                                             int thread) {
  for (int j = thread; j < S::columns; j += S::column_threads) {
    const int owner = j / S::slice;
    store_remote(&shared.inbox[rank][j - owner * S::slice], own(shared, j), &shared.gathered,
                 static_cast<std::uint32_t>(owner));
  }
}

/// Sends the new entry to every block of the cluster. Where a slice has at most 16 columns,
/// lanes 16 to 31 hold the same ones and send to the other half of the blocks.
template <class S>
__device__ __forceinline__ void broadcast(Shared<S>& shared, int column, double value, int lane) {
  constexpr int senders = 32 / S::width, each = S::cluster / senders;
#pragma unroll
  for (int q = 0; q < each; ++q)
    store_remote(&shared.x[column], value, &shared.broadcast,
                 static_cast<std::uint32_t>(lane / S::width * each + q));
}

template <class S>
__device__ void step_in_cluster(Shared<S>& shared, const Task<typename S::Value>& task,
                                const Part& part, int thread) {
  const int warp = thread / 32, lane = thread % 32;
  const Position<S> at;
  const auto column = [&](int turn) {  // within the slice
    return (warp + turn * S::column_warps) * S::width + lane % S::width;
  };
  ColumnSum<S> own;
  Entry entry[S::turns];
#pragma unroll
  for (int i = 0; i < S::turns; ++i) entry[i] = load_entry(task, at.first + column(i));
  Parameters coming = parameters(task, task.first);
  for (std::int64_t k = task.first; k < task.last; ++k) {
    const int parity = static_cast<int>((k - task.first) & 1);
    const std::uint64_t epoch = task.epoch + static_cast<std::uint64_t>(k - task.first) + 1;
    const Parameters p = coming;
    coming = parameters(task, k + 1);
    own.prepare(shared, part, thread);
    if (thread == 0)
      arrive_expecting(&shared.gathered, static_cast<std::uint32_t>(S::cluster * at.owned * 8));
    meet(sums_ready, S::meeting);  // hence all row warps have seen the former broadcast
    if (thread == 0) arrive_expecting(&shared.broadcast, S::columns * 8);
    scatter_sums<S>(shared, own, at.rank, thread);
    if (warp >= S::chunks) continue;
    wait_for_cluster(&shared.gathered, static_cast<std::uint32_t>(parity));
#pragma unroll
    for (int i = 0; i < S::turns; ++i) {
      const int chunk = warp + i * S::column_warps, j = column(i);
      if (chunk >= S::chunks) break;
      const bool mine = j < at.owned;
      double g = tree_sum<S::cluster>(&shared.inbox[0][mine ? j : 0], S::slice);
      if (at.clusters > 1)
        g = exchange<S::width>(at.words(task.words, parity, chunk), at.clusters, at.cluster, g,
                               epoch, lane);
      if (mine)
        broadcast<S>(shared, at.first + j, update(task, p, at.first + j, g, entry[i]), lane);
    }
  }
  if (at.cluster > 0 || lane >= S::width) return;
#pragma unroll
  for (int i = 0; i < S::turns; ++i)
    if (column(i) < at.owned) store_entry(task, at.first + column(i), entry[i]);
}

}  // namespace polyak::cuda::hopper
