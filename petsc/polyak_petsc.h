#ifndef POLYAK_PETSC_H
#define POLYAK_PETSC_H

/*
   polyak as a PETSc solver, KSP type "polyak": least squares by row sampling.

   Any program:   ./program -dll_append /path/libpolyak_petsc.so -ksp_type polyak
   Linked:        call KSPPolyakRegister() after PetscInitialize(), then
                  KSPSetType(ksp, KSPPOLYAK).

   The operator is A itself, tall, square or wide; no preconditioner is used.
   petsc/README.md lists the options and what each kind of matrix costs.
*/

#include <petscksp.h>

#define KSPPOLYAK "polyak"

PETSC_EXTERN PetscErrorCode KSPPolyakRegister(void);

/*
   Dense rows where they lie, one after the other (row-major, the caller's): m of
   them on this process, M on all, N columns. For tall data that PETSc would keep
   column by column: any KSP can multiply with it, polyak reads its rows at full
   speed, nothing is copied. `values` must outlive A.
*/
PETSC_EXTERN PetscErrorCode MatCreatePolyakRows(MPI_Comm comm, PetscInt m, PetscInt M, PetscInt N, const PetscScalar values[], Mat *A);

/*
   A tomographic scan: MatSetType(A, MATPOLYAKSCAN) and nothing else makes a matrix
   of one row per ray and one column per pixel from -mat_polyak_angles 0:180:180,
   -mat_polyak_detectors 128, -mat_polyak_size 64, …  as of `polyak tomography`
   (-help lists them). Its rows are never stored. Processes share out the views;
   vectors that fit come from MatCreateVecs().
*/
#define MATPOLYAKSCAN "polyakscan"

/*
   A matrix of any type takes part when it composes this function under the
   name "MatRowBatchGradient_C". For rows[t], t = 0 .. count-1 (global numbers
   of rows that this process owns, in any order, maybe repeated), it adds

     g         += weights[t] * (a_i'x - b[t]) * a_i          i = rows[t]
     residual2 += weights[t] * (a_i'x - b[t])^2              unless it is NULL

   where x and g have as many numbers as A has columns, on every process. It
   does not communicate and is called from one thread. Where PETSc scales or
   shifts a MATSHELL by itself (MatScale() and its kin) the function must know.
*/
typedef PetscErrorCode (*MatRowBatchGradientFn)(Mat A, PetscInt count, const PetscInt rows[], const PetscReal weights[], const PetscScalar x[], const PetscScalar b[], PetscScalar g[], PetscReal *residual2);

#endif
