#ifndef POLYAK_PETSC_H
#define POLYAK_PETSC_H

/*
   polyak as a PETSc solver, KSP type "polyak": least squares by row sampling.

   Any program:   ./program -dll_append /path/libpolyak_petsc.so -ksp_type polyak
   Linked:        call KSPPolyakRegister() after PetscInitialize(), then
                  KSPSetType(ksp, KSPPOLYAK).

   The operator is A itself, rectangular or square; no preconditioner is used.
   petsc/README.md lists the options and the memory that each type of matrix needs.
*/

#include <petscksp.h>

#define KSPPOLYAK "polyak"

PETSC_EXTERN PetscErrorCode KSPPolyakRegister(void);

/*
   A matrix around dense rows of the caller, stored one after the other (row-major): m
   rows on this process, M on all, N columns. PETSc would store a dense matrix by columns.
   Any KSP can multiply with it; polyak reads the rows in place, nothing is copied.
   `values` must stay valid as long as A.
*/
PETSC_EXTERN PetscErrorCode MatCreatePolyakRows(MPI_Comm comm, PetscInt m, PetscInt M, PetscInt N, const PetscScalar values[], Mat *A);

/*
   A tomographic scan: MatSetType(A, MATPOLYAKSCAN) and nothing else makes a matrix
   of one row per ray and one column per pixel from -mat_polyak_angles 0:180:180,
   -mat_polyak_detectors 128, -mat_polyak_size 64, …  as in `polyak tomography`
   (-help lists them). Its rows are never stored. Whole views are distributed over the
   processes; make vectors of this layout by MatCreateVecs().
*/
#define MATPOLYAKSCAN "polyakscan"

/*
   KSP polyak can use a matrix of any type that composes this function under the
   name "MatRowBatchGradient_C". For rows[t], t = 0 .. count-1 (global numbers
   of rows that this process owns, in any order, perhaps repeated), it adds

     g         += weights[t] * (a_i'x - b[t]) * a_i          i = rows[t]
     residual2 += weights[t] * (a_i'x - b[t])^2              unless it is NULL

   where x and g have as many numbers as A has columns, on every process. It
   does not communicate and is called from one thread. If the program scales or shifts
   a MATSHELL (MatScale(), MatShift(), …), the function must apply that, too.
*/
typedef PetscErrorCode (*MatRowBatchGradientFn)(Mat A, PetscInt count, const PetscInt rows[], const PetscReal weights[], const PetscScalar x[], const PetscScalar b[], PetscScalar g[], PetscReal *residual2);

#endif
