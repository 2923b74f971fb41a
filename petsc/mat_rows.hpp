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

/// Of this type, or of one that is derived from it.
bool is_type(Mat A, const char* type);

/// AIJ or dense, whose entries PETSc stores, and which composes no function of its own.
bool is_stored(Mat A);

/// The rows that this process owns:
///  - AIJ in one process: viewed; in several: its two parts merged, a copy;
///  - dense: copied once, as PETSc keeps columns and polyak wants rows;
///  - those of row_shell.hpp: as they are;
///  - any with "MatRowBatchGradient_C": through it, nothing is copied;
///  - any other: by its products (RowMatrix::only_products), nothing is copied.
/// A view or a copy is of A as it is now (operator_state.hpp). Collective.
MatrixPtr own_rows(Mat A);

/// Of a matrix with that function.
MatrixPtr batch_gradient_rows(Mat A);

/// By MatMult and MatMultTranspose; Error usage where A has no transposed product and is not
/// known to be symmetric.
MatrixPtr product_rows(Mat A);

}  // namespace polyak
