#include "linalg/svd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/buffer.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak::internal {
namespace {

bool is_finite(ConstView M) {
  for (Index i = 0; i < M.rows; ++i) {
    if (!std::all_of(M.row(i), M.row(i) + M.cols, [](double v) { return std::isfinite(v); })) {
      return false;
    }
  }
  return true;
}

// A column-major copy: LAPACK overwrites its argument.
Buffer by_columns(ConstView A) {
  Buffer out(A.cols, A.rows);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index j = 0; j < A.cols; ++j) out.view()(j, i) = A(i, j);
  }
  return out;
}

// LAPACK may loop forever on a NaN, so it is never called with one.
bool upper_is_finite(ConstView H) {
  for (Index i = 0; i < H.rows; ++i) {
    for (Index j = i; j < H.cols; ++j) {
      if (!std::isfinite(H(i, j))) return false;
    }
  }
  return true;
}

bool divide_and_conquer(const char* job, View H, std::span<double> values) {
  if (H.rows == 0) return true;
  if (!upper_is_finite(H)) return false;
  const BlasCall call;
  const BlasInt n = blas_int(H.rows), ldh = blas_stride(H.stride);
  BlasInt info = 0, lwork = -1, liwork = -1, int_size = 0;
  double size = 0.0;
  dsyevd_(job, "L", &n, H.data, &ldh, values.data(), &size, &lwork, &int_size, &liwork, &info, 1,
          1);
  check_arguments("dsyevd", info);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  std::vector<BlasInt> int_work(to_size(liwork = std::max(1, int_size)));
  dsyevd_(job, "L", &n, H.data, &ldh, values.data(), work.data(), &lwork, int_work.data(), &liwork,
          &info, 1, 1);
  check_arguments("dsyevd", info);
  return info == 0;
}

}  // namespace

SvdSolution least_squares_svd(ConstView A, View X, double rcond) {
  SvdSolution result{.ok = true, .rank = 0, .singular_values = {}};
  if (A.rows == 0 || A.cols == 0) {
    for (Index c = 0; c < X.rows; ++c) std::fill_n(X.row(c), A.cols, 0.0);
    return result;
  }
  if (!is_finite(A) || !is_finite({X.data, X.rows, A.rows, X.stride})) return {};
  const BlasCall alone;
  Buffer copy = by_columns(A);
  result.singular_values.resize(to_size(std::min(A.rows, A.cols)));
  const BlasInt m = blas_int(A.rows), n = blas_int(A.cols), c = blas_int(X.rows);
  const BlasInt ldx = blas_stride(X.stride);
  BlasInt rank = 0, info = 0, lwork = -1, int_size = 0;
  double size = 0.0;
  const auto call = [&](double* work, BlasInt* int_work) {
    dgelsd_(&m, &n, &c, copy.data(), &m, X.data, &ldx, result.singular_values.data(), &rcond, &rank,
            work, &lwork, int_work, &info);
    check_arguments("dgelsd", info);
  };
  call(&size, &int_size);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  std::vector<BlasInt> int_work(to_size(std::max(1, int_size)));
  call(work.data(), int_work.data());
  result.ok = info == 0;
  result.rank = rank;
  return result;
}

SvdSolution singular_values(ConstView A) {
  SvdSolution result{.ok = true, .rank = 0, .singular_values = {}};
  if (A.rows == 0 || A.cols == 0) return result;
  if (!is_finite(A)) return {};
  const BlasCall alone;
  Buffer copy = by_columns(A);
  auto& s = result.singular_values;
  s.resize(to_size(std::min(A.rows, A.cols)));
  const BlasInt m = blas_int(A.rows), n = blas_int(A.cols), one = 1;
  BlasInt info = 0, lwork = -1;
  double size = 0.0, none = 0.0;
  const auto call = [&](double* work) {
    dgesvd_("N", "N", &m, &n, copy.data(), &m, s.data(), &none, &one, &none, &one, work, &lwork,
            &info, 1, 1);
    check_arguments("dgesvd", info);
  };
  call(&size);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  call(work.data());
  result.ok = info == 0;
  const double eps = std::numeric_limits<double>::epsilon();
  const double least = static_cast<double>(std::max(A.rows, A.cols)) * eps * s.front();
  result.rank = std::count_if(s.begin(), s.end(), [least](double v) { return v > least; });
  return result;
}

bool symmetric_eigenvalues(View H, std::span<double> values) {
  return divide_and_conquer("N", H, values);
}

bool symmetric_eigen(View H, std::span<double> values) {
  return divide_and_conquer("V", H, values);
}

}  // namespace polyak::internal
