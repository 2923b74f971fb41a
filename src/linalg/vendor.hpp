#pragma once

// Which BLAS this is, and how many threads it may use: one. The thread team
// does the threading; a BLAS that splits sums by its own threads would let
// results depend on the machine.

#include <string>

namespace polyak {

/// Holds the BLAS to one thread; every wrapper calls it first. Cheap after
/// the first call. Harmless with a BLAS that has no threads. Throws
/// std::bad_alloc where OpenBLAS would wait for memory forever.
void use_one_blas_thread();

/// For people and reports: "OpenBLAS 0.3.21, Zen kernels", or "BLAS" when the
/// library does not say.
std::string blas_name();

}  // namespace polyak
