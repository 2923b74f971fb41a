#pragma once

/// \file blas.hpp
/// Which BLAS and LAPACK the library calls. Without a choice it loads the OpenBLAS of the system
/// at the first call, or uses one that the process has loaded already.

#include <string>

#pragma GCC visibility push(default)
namespace polyak {

/// A shared library with BLAS and LAPACK (32-bit integers).
struct BlasLibrary {
  std::string path;
  std::string prefix = {};  ///< of every name in it: with "scipy_" dgemm_ is scipy_dgemm_
};

/// From now on this library is loaded at the first call of BLAS, as a copy of its own: another
/// BLAS of the process, and its number of threads, are left alone. Returns false, and changes
/// nothing, where BLAS is in use already or linked (POLYAK_LINK_BLAS). An Error internal at the
/// first call tells that the library cannot be loaded.
bool use_blas_library(BlasLibrary library);

}  // namespace polyak
#pragma GCC visibility pop
