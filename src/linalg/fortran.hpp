#pragma once

// Declarations of the BLAS and LAPACK routines in use, in the calling convention of gfortran:
// all arguments by address, followed by the length of each character argument.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "linalg/vendor.hpp"
#include "polyak/error.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

/// The integer type of BLAS and LAPACK.
using BlasInt = std::int32_t;

constexpr BlasInt largest_blas_int = std::numeric_limits<BlasInt>::max();

[[noreturn]] inline void too_large_for_blas(const std::string& found) {
  throw Error(ErrorCode::internal, {.what = "a matrix is too large for a 32-bit BLAS",
                                    .found = found,
                                    .expected = "at most " + std::to_string(largest_blas_int)});
}

/// Throws Error internal when the size does not fit: the caller should have used blocks.
inline BlasInt blas_int(Index value) {
  if (value < 0 || value > largest_blas_int) too_large_for_blas(std::to_string(value));
  return static_cast<BlasInt>(value);
}

/// A leading dimension: at least 1, also for an empty matrix.
inline BlasInt blas_stride(Index stride) { return blas_int(std::max<Index>(1, stride)); }

/// The size of a work array, which LAPACK's workspace query returns as a double.
inline BlasInt blas_work(double size) {
  if (!(size <= static_cast<double>(largest_blas_int))) too_large_for_blas(std::to_string(size));
  return std::max<BlasInt>(1, static_cast<BlasInt>(size));
}

/// Throws Error internal for info < 0, LAPACK's code for an invalid argument.
inline void check_arguments(const char* routine, BlasInt info) {
  if (info >= 0) return;
  throw Error(ErrorCode::internal,
              {.what = "LAPACK refused argument " + std::to_string(-info), .where = routine});
}

}  // namespace polyak::internal

extern "C" {
using blas_int_t = polyak::internal::BlasInt;

void dgemm_(const char* transa, const char* transb, const blas_int_t* m, const blas_int_t* n,
            const blas_int_t* k, const double* alpha, const double* a, const blas_int_t* lda,
            const double* b, const blas_int_t* ldb, const double* beta, double* c,
            const blas_int_t* ldc, std::size_t, std::size_t);
void dgemv_(const char* trans, const blas_int_t* m, const blas_int_t* n, const double* alpha,
            const double* a, const blas_int_t* lda, const double* x, const blas_int_t* incx,
            const double* beta, double* y, const blas_int_t* incy, std::size_t);
void dsyrk_(const char* uplo, const char* trans, const blas_int_t* n, const blas_int_t* k,
            const double* alpha, const double* a, const blas_int_t* lda, const double* beta,
            double* c, const blas_int_t* ldc, std::size_t, std::size_t);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag,
            const blas_int_t* m, const blas_int_t* n, const double* alpha, const double* a,
            const blas_int_t* lda, double* b, const blas_int_t* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dpotrf_(const char* uplo, const blas_int_t* n, double* a, const blas_int_t* lda,
             blas_int_t* info, std::size_t);
void dpstrf_(const char* uplo, const blas_int_t* n, double* a, const blas_int_t* lda,
             blas_int_t* piv, blas_int_t* rank, const double* tol, double* work, blas_int_t* info,
             std::size_t);
void dgeqrf_(const blas_int_t* m, const blas_int_t* n, double* a, const blas_int_t* lda,
             double* tau, double* work, const blas_int_t* lwork, blas_int_t* info);
void dgelqf_(const blas_int_t* m, const blas_int_t* n, double* a, const blas_int_t* lda,
             double* tau, double* work, const blas_int_t* lwork, blas_int_t* info);
void dgeqp3_(const blas_int_t* m, const blas_int_t* n, double* a, const blas_int_t* lda,
             blas_int_t* jpvt, double* tau, double* work, const blas_int_t* lwork,
             blas_int_t* info);
void dormqr_(const char* side, const char* trans, const blas_int_t* m, const blas_int_t* n,
             const blas_int_t* k, const double* a, const blas_int_t* lda, const double* tau,
             double* c, const blas_int_t* ldc, double* work, const blas_int_t* lwork,
             blas_int_t* info, std::size_t, std::size_t);
void dtpqrt_(const blas_int_t* m, const blas_int_t* n, const blas_int_t* l, const blas_int_t* nb,
             double* a, const blas_int_t* lda, double* b, const blas_int_t* ldb, double* t,
             const blas_int_t* ldt, double* work, blas_int_t* info);
void dsyevd_(const char* jobz, const char* uplo, const blas_int_t* n, double* a,
             const blas_int_t* lda, double* w, double* work, const blas_int_t* lwork,
             blas_int_t* iwork, const blas_int_t* liwork, blas_int_t* info, std::size_t,
             std::size_t);
void dgesvd_(const char* jobu, const char* jobvt, const blas_int_t* m, const blas_int_t* n,
             double* a, const blas_int_t* lda, double* s, double* u, const blas_int_t* ldu,
             double* vt, const blas_int_t* ldvt, double* work, const blas_int_t* lwork,
             blas_int_t* info, std::size_t, std::size_t);
void dgelsd_(const blas_int_t* m, const blas_int_t* n, const blas_int_t* nrhs, double* a,
             const blas_int_t* lda, double* b, const blas_int_t* ldb, double* s,
             const double* rcond, blas_int_t* rank, double* work, const blas_int_t* lwork,
             blas_int_t* iwork, blas_int_t* info);
}

#ifndef POLYAK_LINK_BLAS
namespace polyak::internal {

/// A routine of the BLAS that is loaded at the first call (vendor.hpp); called like the
/// function of that name, which is not linked.
template <class Function>
class BlasRoutine;
template <class... Arguments>
class BlasRoutine<void(Arguments...)> {
 public:
  constexpr explicit BlasRoutine(const char* name) : name_(name) {}
  void operator()(Arguments... arguments) const {
    Address address = address_.load(std::memory_order_acquire);
    if (address == nullptr) {
      address = reinterpret_cast<Address>(required_blas_symbol(name_));
      address_.store(address, std::memory_order_release);
    }
    address(arguments...);
  }

 private:
  using Address = void (*)(Arguments...);
  const char* name_;
  mutable std::atomic<Address> address_{nullptr};
};

inline constinit const BlasRoutine<decltype(::dgemm_)> dgemm_{"dgemm_"};
inline constinit const BlasRoutine<decltype(::dgemv_)> dgemv_{"dgemv_"};
inline constinit const BlasRoutine<decltype(::dsyrk_)> dsyrk_{"dsyrk_"};
inline constinit const BlasRoutine<decltype(::dtrsm_)> dtrsm_{"dtrsm_"};
inline constinit const BlasRoutine<decltype(::dpotrf_)> dpotrf_{"dpotrf_"};
inline constinit const BlasRoutine<decltype(::dpstrf_)> dpstrf_{"dpstrf_"};
inline constinit const BlasRoutine<decltype(::dgeqrf_)> dgeqrf_{"dgeqrf_"};
inline constinit const BlasRoutine<decltype(::dgelqf_)> dgelqf_{"dgelqf_"};
inline constinit const BlasRoutine<decltype(::dgeqp3_)> dgeqp3_{"dgeqp3_"};
inline constinit const BlasRoutine<decltype(::dormqr_)> dormqr_{"dormqr_"};
inline constinit const BlasRoutine<decltype(::dtpqrt_)> dtpqrt_{"dtpqrt_"};
inline constinit const BlasRoutine<decltype(::dsyevd_)> dsyevd_{"dsyevd_"};
inline constinit const BlasRoutine<decltype(::dgesvd_)> dgesvd_{"dgesvd_"};
inline constinit const BlasRoutine<decltype(::dgelsd_)> dgelsd_{"dgelsd_"};

}  // namespace polyak::internal
#endif
