#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "core/large_arrays.hpp"
#include "kernels/dense.hpp"

namespace polyak::internal::kernels {
namespace {

std::atomic<bool> in_use{false};

#if defined(__x86_64__)

// A sweep over these rows with nothing of them in a cache, in seconds.
double cold_sweep(const DenseBlock<double>& A, Index rows, bool prefetch) {
  using Clock = std::chrono::steady_clock;
  const double* const end = A.data + rows * A.stride;
  for (const double* p = A.data; p < end; p += 8) __builtin_ia32_clflush(p);
  __builtin_ia32_mfence();
  std::array<double, 100> x{}, g{};
  std::array<double, 1> residual2{};
  const std::array<double, 1> zero{};
  const ConstView b{zero.data(), rows, 1, 0};
  in_use = prefetch;
  const Clock::time_point start = Clock::now();
  gradient(A, {rows, nullptr, nullptr}, 1.0, 1.0, ConstView{x.data(), 1, A.d, A.d}, b,
           View{g.data(), 1, A.d, A.d}, residual2.data());
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Measured on 4 MB in huge pages, as large matrices are; about 5 ms. Without a clear gain the
// choice is left to the processor.
bool pays() {
  constexpr Index d = 100, rows = 5000;
  constexpr int rounds = 7;
  constexpr double clear_gain = 0.985;
  // Written: pages never written are one page of zeros, which stays in cache.
  const RowNumbers values(to_size(rows * d), 1.0);
  const DenseBlock<double> A{values.data(), d, d};
  std::array<double, to_size(rounds)> with, without;
  for (std::size_t k = 0; k < with.size(); ++k) {
    without[k] = cold_sweep(A, rows, false);
    with[k] = cold_sweep(A, rows, true);
  }
  const auto median = [](auto& times) {
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[to_size(rounds / 2)];
  };
  return median(with) < clear_gain * median(without);
}

#else

bool pays() { return false; }

#endif

std::once_flag chosen;

}  // namespace

bool range_prefetch_in_use() { return in_use.load(std::memory_order_relaxed); }

bool choose_range_prefetch() {
  std::call_once(chosen, [] { in_use = pays(); });
  return range_prefetch_in_use();
}

void use_range_prefetch(bool use) {
  std::call_once(chosen, [] {});
  in_use = use;
}

}  // namespace polyak::internal::kernels
