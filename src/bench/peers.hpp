#pragma once

// The same sums by other hands, in this process: OpenBLAS, which this room
// alone lets run on several threads, and Eigen.

#include <span>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/types.hpp"

namespace polyak::bench {

/// While it lives OpenBLAS may use this many threads, then one again. Its
/// threads stay awake for a while after their work: `settle` waits for them.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;
};
void settle();

/// g = Σ_t weights[t]·(a_tᵀx − b_t)·a_t: the rows copied together by the team,
/// then two matrix-vector products by OpenBLAS.
class BlasGradient {
 public:
  BlasGradient(ConstView A, ConstView b, Index most_rows, ThreadTeam& team);
  void operator()(std::span<const Index> rows, std::span<const double> weights, const double* x,
                  double* g);

 private:
  ConstView A_, b_;
  ThreadTeam& team_;
  std::vector<double> copy_, r_;
};

/// H = AᵀA (the upper triangle), by dsyrk.
void blas_gram(ConstView A, std::vector<double>& H);

/// The same gradient, row by row in Eigen's words, on one thread.
void eigen_gradient(ConstView A, ConstView b, std::span<const Index> rows,
                    std::span<const double> weights, const double* x, double* g);

}  // namespace polyak::bench
