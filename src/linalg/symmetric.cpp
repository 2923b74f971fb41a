#include "linalg/symmetric.hpp"

#include <cmath>
#include <vector>

#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak {
namespace {

// LAPACK does not promise to return when it meets a NaN, so it never does.
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

bool symmetric_eigenvalues(View H, std::span<double> values) {
  return divide_and_conquer("N", H, values);
}

bool symmetric_eigen(View H, std::span<double> values) {
  return divide_and_conquer("V", H, values);
}

}  // namespace polyak
