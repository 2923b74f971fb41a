#pragma once

// The instructions of Hopper that CUDA C++ has no words for, one function each:
// barriers in shared memory that count bytes (mbarrier), bulk copies from global to shared
// memory that report to them, stores into the shared memory of another block of the cluster,
// named barriers, and words of 16 bytes in L2.

#include <cstdint>

#include "cuda/draw.hpp"
#include "cuda/task.hpp"

namespace polyak::cuda::hopper {

using Barrier = std::uint64_t;

__device__ __forceinline__ std::uint32_t address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// --- mbarrier -----------------------------------------------------------------------
__device__ __forceinline__ void init(Barrier* bar, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(arrivals));
}
/// Makes initialised barriers and zeroed memory visible to the cluster and to bulk copies.
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void arrive(Barrier* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
/// Arrives, and has the phase wait for `bytes` more.
__device__ __forceinline__ void arrive_expecting(Barrier* bar, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)),
               "r"(bytes)
               : "memory");
}
/// Until the phase of this parity is complete: what this block and its copies wrote is
/// then visible.
__device__ __forceinline__ void wait(Barrier* bar, std::uint32_t parity) {
  std::uint32_t done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(address(bar)), "r"(parity)
        : "memory");
  } while (!done);
}
/// The same for what other blocks of the cluster stored.
__device__ __forceinline__ void wait_for_cluster(Barrier* bar, std::uint32_t parity) {
  std::uint32_t done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(address(bar)), "r"(parity)
        : "memory");
  } while (!done);
}

// --- copies -------------------------------------------------------------------------
__device__ __forceinline__ std::uint64_t evict_first() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ std::uint64_t evict_last() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
/// `bytes`, a multiple of 16, from global to shared memory; completion goes to `bar`.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, std::uint32_t bytes,
                                          Barrier* bar, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(address(to)),
      "l"(from), "r"(bytes), "r"(address(bar)), "l"(policy)
      : "memory");
}
__device__ __forceinline__ void load_pair(const std::uint64_t* from, std::uint64_t policy,
                                          std::uint64_t& a, std::uint64_t& b) {
  asm volatile("ld.global.nc.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;"
               : "=l"(a), "=l"(b)
               : "l"(from), "l"(policy));
}
__device__ __forceinline__ RowLine load_line(const RowLine* from, std::uint64_t policy) {
  RowLine line;
  load_pair(from->start + 0, policy, line.start[0], line.start[1]);
  load_pair(from->start + 2, policy, line.start[2], line.start[3]);
  load_pair(from->start + 4, policy, line.start[4], line.start[5]);
  load_pair(from->start + 6, policy, line.start[6], line.row);
  return line;
}
__device__ __forceinline__ double load_kept(const double* from, std::uint64_t policy) {
  double v;
  asm volatile("ld.global.nc.L2::cache_hint.f64 %0, [%1], %2;" : "=d"(v) : "l"(from), "l"(policy));
  return v;
}

__device__ __forceinline__ void prefetch(const double* from) {  // into L2
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

// --- cluster ------------------------------------------------------------------------
__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ std::uint32_t remote(const void* shared, std::uint32_t rank) {
  std::uint32_t out;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(out)
               : "r"(address(shared)), "r"(rank));
  return out;
}
/// Stores `value` at `to` of block `rank`; 8 bytes are reported to its barrier `bar`.
__device__ __forceinline__ void store_remote(double* to, double value, Barrier* bar,
                                             std::uint32_t rank) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                   remote(to, rank)),
               "l"(__double_as_longlong(value)), "r"(remote(bar, rank))
               : "memory");
}

// --- named barriers of a block ------------------------------------------------------
__device__ __forceinline__ void meet(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void meet_without_waiting(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// --- words in L2: value and epoch are written and read as one ------------------------
__device__ __forceinline__ void store_word(Word* to, double value, std::uint64_t epoch) {
  asm volatile(
      "{\n.reg .b128 q;\nmov.b128 q, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], q;\n}" ::"l"(to),
      "l"(__double_as_longlong(value)), "l"(epoch)
      : "memory");
}
__device__ __forceinline__ Word load_word(const Word* from) {
  std::uint64_t value, epoch;
  asm volatile("{\n.reg .b128 q;\nld.relaxed.gpu.global.b128 q, [%2];\nmov.b128 {%0, %1}, q;\n}"
               : "=l"(value), "=l"(epoch)
               : "l"(from)
               : "memory");
  return {__longlong_as_double(static_cast<long long>(value)), epoch};
}

}  // namespace polyak::cuda::hopper
