#pragma once

// PETSc matrices as RowMatrix, and RowMatrix as PETSc matrices.

#include <petscmat.h>

#include <new>
#include <string>
#include <vector>

#include "polyak/matrices.hpp"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "polyak solves real problems in double precision; use that build of PETSc"
#endif

namespace polyak::petsc {

/// A PETSc call failed; PETSc has already printed why.
struct PetscFailure {
  PetscErrorCode code;
};
inline void checked(PetscErrorCode code) {
  if (code != 0) throw PetscFailure{code};
}

/// Runs C++ in a function that PETSc calls from C: an exception becomes a PETSc error with its
/// message. `object` is the KSP or Mat whose processes all call this function.
template <class Object, class Body>
PetscErrorCode guarded(Object object, Body body) {
  std::string line;
  try {
    body();
    return 0;
  } catch (const PetscFailure& failure) {
    return PetscError(PETSC_COMM_SELF, __LINE__, "polyak", __FILE__, failure.code,
                      PETSC_ERROR_REPEAT, " ");
  } catch (const std::bad_alloc&) {  // on this rank only, so this rank prints it
    return PetscError(PETSC_COMM_SELF, __LINE__, "polyak", __FILE__, PETSC_ERR_MEM,
                      PETSC_ERROR_INITIAL, "polyak: there is not enough memory");
  } catch (const std::exception& error) {
    line = error.what();
  }
  return PetscError(PetscObjectComm(reinterpret_cast<PetscObject>(object)), __LINE__, "polyak",
                    __FILE__, PETSC_ERR_LIB, PETSC_ERROR_INITIAL, "polyak: %s", line.c_str());
}

/// True for this type and for types derived from it.
bool is_type(Mat A, const char* type);

/// True for AIJ and dense matrices, whose entries PETSc stores, unless they compose
/// MatRowBatchGradient_C.
bool is_stored(Mat A);

/// The rows that this process owns:
///  - AIJ in one process: a view; in several: its two parts merged, a copy;
///  - dense: copied once, as PETSc stores columns and polyak reads rows;
///  - made by become_row_shell: the rows themselves;
///  - with a composed "MatRowBatchGradient_C": through that function, no copy;
///  - any other: by its products (RowMatrix::only_products), no copy.
/// A view or a copy has the values at the time of this call. Collective.
MatrixPtr own_rows(Mat A);

/// Of a matrix that composes MatRowBatchGradient_C (batch_gradient_rows.cpp).
MatrixPtr batch_gradient_rows(Mat A);

/// By MatMult and MatMultTranspose (product_rows.cpp); Error usage if A has no transposed product
/// and is not marked as symmetric.
MatrixPtr product_rows(Mat A);

/// A, new from MatCreate, becomes a MATSHELL around the rows of this process; all processes
/// together have `rows` rows. It has products for any KSP, MatRowBatchGradient_C for code that
/// reads rows, and the rows themselves for KSP polyak. Collective.
void become_row_shell(Mat A, MatrixPtr own, Index rows);

/// The rows of such a matrix; null for any other.
MatrixPtr rows_of_shell(Mat A);

/// Called by MatSetType(A, MATPOLYAKSCAN) (scan_matrix.cpp).
PetscErrorCode create_scan_matrix(Mat A);

}  // namespace polyak::petsc
