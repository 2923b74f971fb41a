#pragma once

namespace polyak::cli {

/// Starts the program anew, once, if OpenBLAS would otherwise run kernels for a
/// processor of 2004. Returns when there is nothing to do or it cannot be done.
void choose_blas_kernels(char** argv);

/// Error out_of_memory where OpenBLAS was refused a thread while it was loaded; lets SIGINT
/// through from then on.
void check_blas_threads();

}  // namespace polyak::cli
