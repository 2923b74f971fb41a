#pragma once

// A PETSc matrix as polyak sees one.

#include <petscmat.h>

#include "polyak/matrices.hpp"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "polyak solves real problems in double precision; use that build of PETSc"
#endif

namespace polyak {

/// A PETSc call failed; it has already said why.
struct PetscFailure {
  PetscErrorCode code;
};
inline void checked(PetscErrorCode code) {
  if (code != 0) throw PetscFailure{code};
}

/// The rows that this process owns:
///  - AIJ in one process: viewed; in several: its two parts merged, a copy;
///  - dense: copied once, as PETSc keeps columns and polyak wants rows;
///  - those of row_shell.hpp: as they are;
///  - any with "MatRowBatchGradient_C": through it, nothing is copied.
/// Error usage for other types. Not collective, but for AIJ in several processes.
MatrixPtr own_rows(Mat A);

/// Of such a matrix, by its function.
MatrixPtr batch_gradient_rows(Mat A);

}  // namespace polyak
