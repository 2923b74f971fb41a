#include "linalg/blas.hpp"

#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

// Fortran stores matrices by columns, so a row-major M is Mᵀ to BLAS. Hence C = A·B is
// computed as Cᵀ = Bᵀ·Aᵀ, our upper triangle is uplo = "L", and our right side is side = "L".

namespace polyak::internal {
namespace {

const char* letter(Transpose t) { return t == Transpose::yes ? "T" : "N"; }

void triangular_solve(const char* side, ConstView R, View B, Transpose transpose) {
  if (B.rows == 0 || B.cols == 0) return;
  const BlasCall call;
  const BlasInt m = blas_int(B.cols), n = blas_int(B.rows);
  const BlasInt ldr = blas_stride(R.stride), ldb = blas_stride(B.stride);
  const double one = 1.0;
  dtrsm_(side, "L", letter(transpose), "N", &m, &n, &one, R.data, &ldr, B.data, &ldb, 1, 1, 1, 1);
}

}  // namespace

void gemm(double alpha, ConstView A, Transpose transpose_a, ConstView B, Transpose transpose_b,
          double beta, View C) {
  if (C.rows == 0 || C.cols == 0) return;
  const BlasCall call;
  const Index inner = transpose_a == Transpose::yes ? A.rows : A.cols;
  const BlasInt m = blas_int(C.cols), n = blas_int(C.rows), k = blas_int(inner);
  const BlasInt lda = blas_stride(A.stride), ldb = blas_stride(B.stride);
  const BlasInt ldc = blas_stride(C.stride);
  dgemm_(letter(transpose_b), letter(transpose_a), &m, &n, &k, &alpha, B.data, &ldb, A.data, &lda,
         &beta, C.data, &ldc, 1, 1);
}

void add_gram(ConstView rows, View H) {
  if (rows.rows == 0 || rows.cols == 0) return;
  const BlasCall call;
  const BlasInt n = blas_int(rows.cols), k = blas_int(rows.rows);
  const BlasInt lda = blas_stride(rows.stride), ldh = blas_stride(H.stride);
  const double one = 1.0;
  dsyrk_("L", "N", &n, &k, &one, rows.data, &lda, &one, H.data, &ldh, 1, 1);
}

void copy_upper_to_lower(View H) {
  for (Index i = 0; i < H.rows; ++i) {
    for (Index j = 0; j < i; ++j) H(i, j) = H(j, i);
  }
}

void solve_right(ConstView R, View B, Transpose transpose) {
  triangular_solve("L", R, B, transpose);
}

void solve_left(ConstView R, View B, Transpose transpose) {
  triangular_solve("R", R, B, transpose);
}

}  // namespace polyak::internal
