#pragma once

// What the kernels are measured on and compared with, in this process: data in
// memory, the ceilings of memory bandwidth, and other implementations (peers).

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/matrices.hpp"
#include "polyak/types.hpp"

namespace polyak::bench::internal {

// Data.

/// Random numbers in (-1, 1), on large pages, the same for any number of threads.
std::vector<double> random_values(Index count, std::uint64_t seed,
                                  polyak::internal::ThreadTeam& team);

/// Batches of uniform row numbers, new ones for every call, so that the rows are not
/// in the caches.
class FreshRows {
 public:
  enum class Order { sorted, any };
  FreshRows(Index rows, Index batch, std::uint64_t seed, Order order = Order::sorted);

  /// Draws the batches of the next `calls` calls.
  void prepare(Index calls);
  std::span<const Index> operator()(Index call) const {
    return {drawn_.data() + call * batch_, to_size(batch_)};
  }

 private:
  void draw_sorted(std::span<Index> out);
  void draw_any(std::span<Index> out);

  Index rows_, batch_;
  Order order_;
  polyak::internal::Random random_;
  std::uint64_t k_ = 0;
  std::vector<Index> drawn_;
  std::vector<double> gaps_;
};

/// Evicts the data of the previous contender from the caches, by reading more than
/// the last-level cache holds.
class CacheFlush {
 public:
  CacheFlush(Index bytes, polyak::internal::ThreadTeam& team)
      : values_(to_size(bytes / 8), 1.0), team_(team) {}
  void operator()();
  double sum() const { return sum_; }  // used, so that the compiler keeps the reads

 private:
  std::vector<double> values_;
  polyak::internal::ThreadTeam& team_;
  double sum_ = 0.0;
};

/// `rows` sparse rows of `entries` values each, spread over the columns like the
/// pixels on a line through an image.
Csr<double, std::int32_t> line_matrix(Index rows, Index cols, Index entries, std::uint64_t seed);

// Ceilings (probe.cpp): memory is read and summed, with vector instructions. No kernel
// can be faster.

/// The sum of `count` consecutive values.
double read_values(const double* values, Index count);
/// The sum of the listed rows, with prefetch of the next rows.
double read_rows(ConstView A, std::span<const Index> rows);

/// The same by the team, one part per thread.
double read_values(const double* values, Index count, polyak::internal::ThreadTeam& team);
double read_rows(ConstView A, std::span<const Index> rows, polyak::internal::ThreadTeam& team);

// Peers: OpenBLAS, Eigen and simple samplers.

/// While it lives OpenBLAS may use this many threads, afterwards one again.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;
};
/// Waits until the threads of OpenBLAS sleep; they spin for a while after their work.
void wait_for_blas_threads();

/// g = Σ_t weights[t]·(a_tᵀx − b_t)·a_t: the team gathers the rows, then OpenBLAS
/// computes two matrix-vector products.
class BlasGradient {
 public:
  BlasGradient(ConstView A, ConstView b, Index max_rows, polyak::internal::ThreadTeam& team);
  void operator()(std::span<const Index> rows, std::span<const double> weights, const double* x,
                  double* g);

 private:
  ConstView A_, b_;
  polyak::internal::ThreadTeam& team_;
  std::vector<double> copy_, r_;
};

/// H = AᵀA (the upper triangle), by dsyrk.
void blas_gram(ConstView A, std::vector<double>& H);

/// The same gradient by Eigen, row by row, on one thread.
void eigen_gradient(ConstView A, ConstView b, std::span<const Index> rows,
                    std::span<const double> weights, const double* x, double* g);

/// Row sampling by binary search in the cumulative sums of the weights, then std::sort.
class SearchSampler {
 public:
  explicit SearchSampler(std::span<const double> weights);
  void draw(std::mt19937_64& generator, std::span<Index> rows) const;

 private:
  std::vector<double> sums_;
};

/// Row sampling by Vose's alias table, then std::sort.
class AliasSampler {
 public:
  explicit AliasSampler(std::span<const double> weights);
  void draw(std::mt19937_64& generator, std::span<Index> rows) const;

 private:
  struct Cell {
    double own;   // the fraction of the cell that belongs to row i itself
    Index other;  // the row of the rest
  };
  std::vector<Cell> cells_;
};

}  // namespace polyak::bench::internal
