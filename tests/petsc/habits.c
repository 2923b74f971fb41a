static char help[] = "What programs do with a KSP. -try NAME selects one:\n\
  test, history, matsolve, transpose, scaled, pc, given_back, layout, length, nan, zero, view\n\
  -cases FILE: once per line of FILE, with the options of that line too\n";

/*
   A is square and well conditioned, b = A(1, …, 1). Fails unless the behaviour is right.
*/

#include <petscksp.h>

#include "cases.h"

static PetscInt  size   = 30;
static PetscInt  calls  = 0;
static PetscReal passed = 0.0;

static PetscErrorCode make(Mat *A, Vec *x, Vec *b) {
  PetscInt first, last;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, size, size));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscCall(MatSetValue(*A, i, i, 4.0 + (PetscReal)(i % 3), INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*A, i, i - 1, -1.0, INSERT_VALUES));
    if (i + 1 < size) PetscCall(MatSetValue(*A, i, i + 1, -1.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(*A, x, b));
  PetscCall(VecSet(*x, 1.0));
  PetscCall(MatMult(*A, *x, *b));
  PetscCall(VecSet(*x, 0.0));
  return 0;
}

/* |b - Ax| of the KSP's current x. */
static PetscErrorCode true_residual(KSP ksp, PetscReal *norm) {
  Vec r;
  PetscCall(KSPBuildResidual(ksp, NULL, NULL, &r));
  PetscCall(VecNorm(r, NORM_2, norm));
  return VecDestroy(&r);
}

/* A convergence test of the program: it uses the true residual, not rtol. */
static PetscErrorCode own_test(KSP ksp, PetscInt iteration, PetscReal rnorm, KSPConvergedReason *reason, void *context) {
  PetscReal norm;
  (void)context;
  PetscCall(true_residual(ksp, &norm));
  PetscCheck(PetscAbsReal(norm - rnorm) <= 1e-10 * (1.0 + norm), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "iteration %d: the test got %g, the true residual is %g", (int)iteration, (double)rnorm, (double)norm);
  ++calls;
  passed  = norm;
  *reason = norm < 1e-5 ? KSP_CONVERGED_HAPPY_BREAKDOWN : KSP_CONVERGED_ITERATING;
  return 0;
}

static PetscErrorCode expect_ones(Vec x, PetscReal largest_error) {
  PetscReal off;
  PetscCall(VecShift(x, -1.0));
  PetscCall(VecNorm(x, NORM_INFINITY, &off));
  PetscCheck(off <= largest_error, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "x is off by %g", (double)off);
  return 0;
}

static PetscErrorCode expect_reason(KSP ksp, KSPConvergedReason wanted) {
  KSPConvergedReason reason;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason == wanted, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s instead of %s", KSPConvergedReasons[reason], KSPConvergedReasons[wanted]);
  return 0;
}

static PetscErrorCode try_test(KSP ksp, Vec b, Vec x) {
  PetscReal norm;
  PetscCall(KSPSetTolerances(ksp, 1e-1, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetConvergenceTest(ksp, own_test, NULL, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(expect_reason(ksp, KSP_CONVERGED_HAPPY_BREAKDOWN));
  PetscCall(KSPGetResidualNorm(ksp, &norm));
  PetscCheck(calls > 1 && norm == norm && norm < 1e-5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%d calls, |r| %g, last %g", (int)calls, (double)norm, (double)passed);
  return expect_ones(x, 1e-4);
}

static PetscErrorCode try_history(KSP ksp, Vec b, Vec x) {
  const PetscReal *history;
  PetscReal        norm, bnorm;
  PetscInt         count, its;
  PetscCall(KSPSetResidualHistory(ksp, NULL, 500, PETSC_TRUE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetResidualHistory(ksp, &history, &count));
  PetscCall(KSPGetResidualNorm(ksp, &norm));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  PetscCheck(count >= 2 && its >= 1 && PetscAbsReal(history[0] - bnorm) <= 1e-12 * bnorm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%d residuals from %g", (int)count, (double)history[0]);
  for (PetscInt k = 1; k < count; ++k) PetscCheck(history[k] < history[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "residual %d is %g", (int)k, (double)history[k]);
  PetscCheck(history[count - 1] == norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "the last is %g and not %g", (double)history[count - 1], (double)norm);
  return 0;
}

static PetscErrorCode try_matsolve(KSP ksp, Vec b) {
  Mat B, X;
  Vec column;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, size, 3, NULL, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(MatDenseGetColumnVecWrite(B, k, &column));
    PetscCall(VecCopy(b, column));
    PetscCall(VecScale(column, (PetscReal)(k + 1)));
    PetscCall(MatDenseRestoreColumnVecWrite(B, k, &column));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(KSPMatSolve(ksp, B, X));
  for (PetscInt k = 0; k < 3; ++k) {
    Vec x;
    PetscCall(VecDuplicate(b, &x));
    PetscCall(MatDenseGetColumnVecRead(X, k, &column));
    PetscCall(VecCopy(column, x));
    PetscCall(MatDenseRestoreColumnVecRead(X, k, &column));
    PetscCall(VecScale(x, 1.0 / (PetscReal)(k + 1)));
    PetscCall(expect_ones(x, 1e-8));
    PetscCall(VecDestroy(&x));
  }
  PetscCall(MatDestroy(&B));
  return MatDestroy(&X);
}

/* The type of the KSP changes; its preconditioner is then the one PETSc chooses by default. */
static PetscErrorCode try_given_back(KSP ksp, Vec b, Vec x) {
  PC     pc, usual;
  PCType type, wanted;
  KSP    other;
  Mat    A;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &other));
  PetscCall(KSPSetOperators(other, A, A));
  PetscCall(KSPSetType(other, KSPGMRES));
  PetscCall(KSPSetUp(other));
  PetscCall(KSPGetPC(other, &usual));
  PetscCall(PCGetType(usual, &wanted));
  PetscCheck(strcmp(type, wanted) == 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s instead of %s", type, wanted);
  PetscCall(KSPDestroy(&other));
  return expect_ones(x, 1e-8);
}

/* b with another layout than A, or of another length. */
static PetscErrorCode try_layout(KSP ksp, Vec x, PetscInt entries) {
  Vec         odd;
  PetscMPIInt rank, ranks;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &odd));
  PetscCall(VecSetSizes(odd, rank == ranks - 1 ? entries - (ranks - 1) : 1, entries));
  PetscCall(VecSetFromOptions(odd));
  PetscCall(VecSet(odd, 1.0));
  PetscCall(KSPSolve(ksp, odd, x));
  return VecDestroy(&odd);
}

static PetscErrorCode attempt(const char *what, KSP ksp, Vec b, Vec x) {
  PetscReal norm;
  PC        pc;
  if (!strcmp(what, "test")) return try_test(ksp, b, x);
  if (!strcmp(what, "history")) return try_history(ksp, b, x);
  if (!strcmp(what, "matsolve")) return try_matsolve(ksp, b);
  if (!strcmp(what, "given_back")) return try_given_back(ksp, b, x);
  if (!strcmp(what, "layout")) return try_layout(ksp, x, size);
  if (!strcmp(what, "length")) return try_layout(ksp, x, size + 5);
  if (!strcmp(what, "transpose")) return KSPSolveTranspose(ksp, b, x);
  if (!strcmp(what, "scaled")) {
    PetscCall(KSPSetDiagonalScale(ksp, PETSC_TRUE));
    PetscCall(KSPSetDiagonalScaleFix(ksp, PETSC_TRUE));
  }
  if (!strcmp(what, "pc")) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCJACOBI));
  }
  if (!strcmp(what, "nan")) {
    PetscCall(VecSetValue(b, 3, NAN, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    PetscCall(KSPSolve(ksp, b, x));
    return expect_reason(ksp, KSP_DIVERGED_NANORINF);
  }
  if (!strcmp(what, "zero")) {
    PetscCall(VecSet(b, 0.0));
    PetscCall(VecSet(x, 7.0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(VecShift(x, 1.0));
    return expect_ones(x, 0.0);
  }
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(true_residual(ksp, &norm));
  return expect_ones(x, 1e-8);
}

static PetscErrorCode run(void) {
  Mat  A;
  Vec  x, b;
  KSP  ksp;
  char what[32] = "";
  calls = 0;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-try", what, sizeof what, NULL));
  PetscCall(make(&A, &x, &b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(attempt(what, ksp, b, x));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s holds\n", what));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  return MatDestroy(&A);
}

int main(int argc, char **argv) {
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(run_cases(run));
  PetscCall(PetscFinalize());
  return 0;
}
