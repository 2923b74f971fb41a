#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/peers.hpp"
#include "core/huge_pages.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak::bench {
namespace {

void set_threads(int threads) {
  if (void* set = blas_symbol("openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(threads);
}

// y = op(M)·x for a column-major d × rows matrix: our rows are its columns.
void gemv(char trans, Index d, Index rows, const double* M, const double* x, double* y) {
  const BlasInt m = blas_int(d), n = blas_int(rows), lda = blas_stride(d), one = 1;
  const double alpha = 1.0, beta = 0.0;
  dgemv_(&trans, &m, &n, &alpha, M, &lda, x, &one, &beta, y, &one, 1);
}

}  // namespace

BlasThreads::BlasThreads(int threads) { set_threads(threads); }
BlasThreads::~BlasThreads() { set_threads(1); }

// OpenBLAS's threads look for work for 2^26 clock ticks before they sleep.
void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }

BlasGradient::BlasGradient(ConstView A, ConstView b, Index most_rows, ThreadTeam& team)
    : A_(A),
      b_(b),
      team_(team),
      copy_(large_vector<double>(to_size(most_rows * A.cols))),
      r_(to_size(most_rows)) {}

void BlasGradient::operator()(std::span<const Index> rows, std::span<const double> weights,
                              const double* x, double* g) {
  const Index d = A_.cols, count = std::ssize(rows), parts = team_.size();
  team_.run(parts, [&](Index p) {
    for (Index t = p * count / parts; t < (p + 1) * count / parts; ++t)
      std::copy_n(A_.row(rows[to_size(t)]), d, copy_.data() + t * d);
  });
  gemv('T', d, count, copy_.data(), x, r_.data());
  for (std::size_t t = 0; t < rows.size(); ++t) r_[t] = weights[t] * (r_[t] - b_(rows[t], 0));
  gemv('N', d, count, copy_.data(), r_.data(), g);
}

void blas_gram(ConstView A, std::vector<double>& H) {
  const BlasInt d = blas_int(A.cols), n = blas_int(A.rows), lda = blas_stride(A.stride);
  const double alpha = 1.0, beta = 0.0;
  H.resize(to_size(A.cols * A.cols));
  dsyrk_("L", "N", &d, &n, &alpha, A.data, &lda, &beta, H.data(), &d, 1, 1);
}

}  // namespace polyak::bench
