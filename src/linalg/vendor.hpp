#pragma once

// Which BLAS this is, and how many threads it may use: one. The thread team
// does the threading; a BLAS that splits sums by its own threads would let
// results depend on the machine.

#include <string>

namespace polyak::internal {

/// Stands in every wrapper while BLAS or LAPACK works: one thread, and numbers below the
/// normal ones are zero, since arithmetic with them takes a hundred times as long and
/// they add nothing to a factorisation of numbers near 1. The caller's own settings come back.
/// Throws std::bad_alloc where OpenBLAS would wait for memory forever.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

 private:
  int threads_ = 1;
  unsigned mode_ = 0;
};

/// The address of a routine of BLAS, LAPACK or OpenBLAS by its name in the library, or null.
/// The first call loads OpenBLAS where the process has no BLAS yet. Throws Error where there
/// is none, std::bad_alloc where there is no memory for it.
void* blas_symbol(const char* name);
/// The same; Error internal instead of null.
void* required_blas_symbol(const char* name);

/// std::bad_alloc where the system has no memory for the buffer that OpenBLAS takes for each
/// thread that calls it.
void require_blas_buffer();

/// For people and reports: "OpenBLAS 0.3.21, Zen kernels", or "BLAS" when the
/// library does not say.
std::string blas_name();

}  // namespace polyak::internal
