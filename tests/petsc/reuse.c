static char help[] = "One KSP, used again after something has changed.\n\
  -mat aij|dense|baij|nest|transpose|shell|normal, -rows N\n\
  -largest_error E: relative, of x beside that of a new KSPLSQR\n\
  -cases FILE: once per line of FILE, with the options of that line too\n";

/*
   Each step changes the operator, the right-hand side or the KSP, solves, and
   compares x with that of a new KSPLSQR.
*/

#include <petscksp.h>

#include "cases.h"

static PetscInt  rows, columns = 12; /* options, set by run() */
static PetscReal largest_error;
static char      kind[32];

static PetscReal entry(PetscInt i, PetscInt j, PetscInt version) {
  unsigned long long h = 0x9e3779b97f4a7c15ULL * (unsigned long long)(1 + j + 1000 * i + 1000000 * version);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  h ^= h >> 31;
  return (PetscReal)(h >> 11) / 4503599627370496.0 - 1.0;
}

/* Sets the entries (i, j) with first_place <= (i + j) mod 3 < last_place; others are unchanged. */
static PetscErrorCode fill(Mat A, PetscInt version, PetscInt first_place, PetscInt last_place) {
  PetscInt first, last, n;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetSize(A, NULL, &n));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = 0; j < n; ++j)
      if ((i + j) % 3 >= first_place && (i + j) % 3 < last_place) PetscCall(MatSetValue(A, i, j, entry(i, j, version) + (i == j ? 4.0 : 0.0), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode stored(PetscInt m, PetscInt n, MatType type, Mat *A) {
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(fill(*A, 1, 0, 1));
  return 0;
}

static PetscErrorCode shell_mult(Mat A, Vec x, Vec y) {
  Mat inner;
  PetscCall(MatShellGetContext(A, &inner));
  return MatMult(inner, x, y);
}
static PetscErrorCode shell_transposed(Mat A, Vec x, Vec y) {
  Mat inner;
  PetscCall(MatShellGetContext(A, &inner));
  return MatMultTranspose(inner, x, y);
}

/* A of type `kind`, and the stored matrix inside it, whose entries are changed. */
static PetscErrorCode make(PetscInt m, PetscInt n, Mat *A, Mat *inner) {
  PetscBool is;
  PetscInt  own_rows, own_columns;
  PetscCall(PetscStrcmp(kind, "transpose", &is));
  if (is) {
    PetscCall(stored(n, m, MATAIJ, inner));
    return MatCreateTranspose(*inner, A);
  }
  PetscCall(PetscStrcmp(kind, "normal", &is));
  if (is) {
    PetscCall(stored(m, n, MATAIJ, inner));
    return MatCreateNormal(*inner, A);
  }
  PetscCall(PetscStrcmp(kind, "nest", &is));
  if (is) {
    Mat blocks[4] = {NULL, NULL, NULL, NULL};
    PetscCall(stored(m, n, MATAIJ, inner));
    PetscCall(stored(m, 3, MATAIJ, &blocks[1]));
    PetscCall(stored(5, 3, MATAIJ, &blocks[3]));
    blocks[0] = *inner;
    PetscCall(MatCreateNest(PETSC_COMM_WORLD, 2, NULL, 2, NULL, blocks, A));
    PetscCall(MatDestroy(&blocks[1]));
    return MatDestroy(&blocks[3]);
  }
  PetscCall(PetscStrcmp(kind, "shell", &is));
  if (is) {
    PetscCall(stored(m, n, MATAIJ, inner));
    PetscCall(MatGetLocalSize(*inner, &own_rows, &own_columns));
    PetscCall(MatCreateShell(PETSC_COMM_WORLD, own_rows, own_columns, m, n, *inner, A));
    PetscCall(MatShellSetOperation(*A, MATOP_MULT, (void (*)(void))shell_mult));
    return MatShellSetOperation(*A, MATOP_MULT_TRANSPOSE, (void (*)(void))shell_transposed);
  }
  PetscCall(stored(m, n, kind, inner));
  PetscCall(PetscObjectReference((PetscObject)*inner));
  *A = *inner;
  return 0;
}

/* x by the KSP and by KSPLSQR, for inconsistent data. */
static PetscErrorCode solve(const char *step, KSP ksp) {
  Mat                A;
  Vec                x, wanted, b;
  KSP                fresh;
  PC                 pc;
  PetscInt           first, last;
  PetscReal          off, size;
  KSPConvergedReason reason;
  PetscBool          guess;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &wanted));
  PetscCall(VecGetOwnershipRange(b, &first, &last));
  for (PetscInt i = first; i < last; ++i) PetscCall(VecSetValue(b, i, entry(i, -1, 9), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &fresh));
  PetscCall(KSPSetType(fresh, KSPLSQR));
  PetscCall(KSPGetPC(fresh, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetOperators(fresh, A, A));
  PetscCall(KSPSetTolerances(fresh, 1e-14, 1e-50, PETSC_DEFAULT, 10000));
  PetscCall(KSPSolve(fresh, b, wanted));
  PetscCall(KSPGetInitialGuessNonzero(ksp, &guess));
  PetscCall(VecSet(x, guess ? 3.0 : 0.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecNorm(wanted, NORM_2, &size));
  PetscCall(VecAXPY(x, -1.0, wanted));
  PetscCall(VecNorm(x, NORM_2, &off));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-28s %s, off by %.1e\n", step, KSPConvergedReasons[reason], (double)(off / size)));
  PetscCheck(reason > 0 && off <= largest_error * size, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: x is off by %g", step, (double)(off / size));
  PetscCall(KSPDestroy(&fresh));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&wanted));
  PetscCall(VecDestroy(&b));
  return 0;
}

/* Changes stored entries in place, on the first process only, without MatAssembly. */
static PetscErrorCode write_in_place(Mat A) {
  PetscMPIInt  rank;
  PetscBool    dense, several;
  PetscScalar *values;
  Mat          own = A;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &several, MATMPIAIJ, MATMPIDENSE, ""));
  if (dense && several) PetscCall(MatDenseGetLocalMatrix(A, &own));
  else if (several) PetscCall(MatMPIAIJGetSeqAIJ(A, &own, NULL, NULL));
  if (rank != 0) return 0;
  if (dense) {
    PetscCall(MatDenseGetArray(own, &values));
    values[0] += 2.0;
    return MatDenseRestoreArray(own, &values);
  }
  PetscCall(MatSeqAIJGetArray(own, &values));
  values[0] += 2.0;
  return MatSeqAIJRestoreArray(own, &values);
}

static PetscErrorCode run(void) {
  Mat       A, inner, B, inner_B;
  KSP       ksp;
  PC        pc;
  PetscBool baij;
  rows = 40, largest_error = 1e-8;
  PetscCall(PetscStrcpy(kind, "aij"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &rows, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-largest_error", &largest_error, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat", kind, sizeof kind, NULL));
  PetscCall(PetscStrcmp(kind, "baij", &baij));
  PetscCall(make(rows, columns, &A, &inner));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(solve("as it was made", ksp));
  PetscCall(MatZeroEntries(inner));
  PetscCall(fill(inner, 2, 0, 1));
  PetscCall(solve("other values", ksp));
  PetscCall(MatScale(inner, 3.0));
  PetscCall(solve("MatScale", ksp));
  if (!baij) PetscCall(write_in_place(inner));
  PetscCall(solve("written in place", ksp));
  PetscCall(fill(inner, 3, 1, 2));
  PetscCall(solve("new nonzeros", ksp));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(solve("KSPReset", ksp));
  PetscCall(make(rows, columns, &B, &inner_B));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(solve("another matrix", ksp));
  PetscCall(KSPReset(ksp));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&inner_B));
  PetscCall(make(rows + 7, columns + 2, &B, &inner_B));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(solve("another size", ksp));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(solve("the first again", ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(solve("options read again", ksp));
  PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(rows >= columns))); /* x is unique */
  PetscCall(solve("a guess", ksp));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscCall(KSPSetType(ksp, KSPLSQR));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(solve("as KSPLSQR", ksp));
  PetscCall(KSPSetFromOptions(ksp)); /* the convergence test is still that of KSPLSQR */
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(solve("after KSPLSQR", ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&inner));
  PetscCall(MatDestroy(&B));
  return MatDestroy(&inner_B);
}

int main(int argc, char **argv) {
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(run_cases(run));
  PetscCall(PetscFinalize());
  return 0;
}
