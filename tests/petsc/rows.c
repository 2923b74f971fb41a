static char help[] = "Matrices made by polyak, with any KSP.\n\
  a scan by -mat_polyak_…, or -dense ROWS: row-major rows of 9 columns\n\
  -claim ROWS: a wrong global number of rows; -copy: uses a duplicate\n\
  -largest_error E: fails if the relative error of x is larger; -scale: MatScale by 2 first\n\
  -ones FILE: writes A times ones; -out FILE: writes x\n\
  -cases FILE: once per line of FILE, with the options of that line too\n";

/*
   x is known, b = Ax; prints the error of the KSP's x. Before that the composed
   MatRowBatchGradient_C is compared with MatMult and MatMultTranspose.
*/

#include "polyak_petsc.h"

#include "cases.h"

static PetscErrorCode write_vector(Vec v, const char *file) {
  PetscInt    first, last;
  PetscMPIInt rank, size;
  const PetscScalar *values;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArrayRead(v, &values));
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) {
      FILE *f = fopen(file, turn == 0 ? "w" : "a");
      for (PetscInt i = first; i < last; ++i) fprintf(f, "%.17g\n", values[i - first]);
      fclose(f);
    }
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  }
  PetscCall(VecRestoreArrayRead(v, &values));
  return 0;
}

static PetscErrorCode compare_gradients(Mat A, Vec x) {
  MatRowBatchGradientFn function;
  Vec                   all, r, g;
  VecScatter            scatter;
  PetscInt              first, last, d;
  const PetscScalar    *at;
  PetscScalar          *own;
  PetscReal             off = 0.0, size = 0.0, sums[2] = {0.0, 0.0};
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatRowBatchGradient_C", &function));
  PetscCheck(function, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "no MatRowBatchGradient_C");
  PetscCall(MatGetSize(A, NULL, &d));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscInt     n = last - first;
  PetscInt    *rows;
  PetscReal   *w;
  PetscScalar *b, *sum;
  PetscCall(PetscMalloc4(2 * n, &rows, 2 * n, &w, 2 * n, &b, d, &sum));
  for (PetscInt t = 0; t < 2 * n; ++t) { /* each row twice, with two values of b */
    rows[t] = last - 1 - t / 2;
    w[t]    = 1.0 + (PetscReal)(rows[t] % 3);
    b[t]    = (PetscReal)(rows[t] % 4) + (t % 2 ? 0.5 : -0.5);
  }
  for (PetscInt j = 0; j < d; ++j) sum[j] = 0.0;
  PetscCall(VecScatterCreateToAll(x, &scatter, &all));
  PetscCall(VecScatterBegin(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(all, &at));
  PetscCall(function(A, 2 * n, rows, w, at, b, sum, &sums[0]));
  PetscCall(VecRestoreArrayRead(all, &at));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (int)d, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));

  PetscCall(MatCreateVecs(A, &g, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecGetArray(r, &own));
  for (PetscInt i = first; i < last; ++i) {
    PetscReal weight = 1.0 + (PetscReal)(i % 3), mean = own[i - first] - (PetscReal)(i % 4);
    sums[1] += weight * (PetscSqr(mean - 0.5) + PetscSqr(mean + 0.5));
    own[i - first] = 2.0 * weight * mean;
  }
  PetscCall(VecRestoreArray(r, &own));
  PetscCall(MatMultTranspose(A, r, g));
  PetscCall(VecGetOwnershipRange(g, &first, &last));
  PetscCall(VecGetArrayRead(g, &at));
  for (PetscInt j = first; j < last; ++j) {
    off += PetscSqr(sum[j] - at[j - first]);
    size += PetscSqr(at[j - first]);
  }
  PetscCall(VecRestoreArrayRead(g, &at));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCheck(off <= 1e-24 * size && PetscAbsReal(sums[0] - sums[1]) <= 1e-12 * sums[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "gradients differ by %g, residuals by %g", (double)PetscSqrtReal(off / size), (double)(sums[0] - sums[1]));
  PetscCall(PetscFree4(rows, w, b, sum));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&all));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&g));
  return 0;
}

static PetscErrorCode make_matrix(Mat *A, PetscScalar **values) {
  PetscInt   rows = 0, m = PETSC_DECIDE, first = 0, columns = 9;
  PetscBool  dense;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dense", &rows, &dense));
  if (!dense) {
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetType(*A, MATPOLYAKSCAN));
    return 0;
  }
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &m, &rows));
  PetscCallMPI(MPI_Exscan(&m, &first, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscMalloc1(m * columns, values));
  for (PetscInt i = 0; i < m; ++i)
    for (PetscInt j = 0; j < columns; ++j)
      (*values)[i * columns + j] = PetscSinReal((PetscReal)(1 + (first + i) * (j + 1))) + (j == (first + i) % columns);
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-claim", &rows, NULL));
  PetscCall(MatCreatePolyakRows(PETSC_COMM_WORLD, m, rows, columns, *values, A));
  return 0;
}

static PetscErrorCode run(void) {
  Mat                A;
  Vec                x, wanted, b;
  KSP                ksp;
  KSPConvergedReason reason;
  const char        *words;
  char               file[PETSC_MAX_PATH_LEN];
  PetscBool          asked;
  PetscScalar       *values = NULL;
  PetscReal          off, size, largest_error = PETSC_INFINITY;
  PetscInt           first, last;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-largest_error", &largest_error, NULL));
  PetscCall(make_matrix(&A, &values));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-copy", &asked));
  if (asked) {
    Mat B;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatDestroy(&A));
    A = B;
  }
  PetscCall(PetscOptionsHasName(NULL, NULL, "-scale", &asked));
  if (asked) PetscCall(MatScale(A, 2.0));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &wanted));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ones", file, sizeof file, &asked));
  PetscCall(VecSet(wanted, 1.0));
  PetscCall(MatMult(A, wanted, b));
  if (asked) PetscCall(write_vector(b, file));
  PetscCall(VecGetOwnershipRange(wanted, &first, &last));
  for (PetscInt j = first; j < last; ++j) PetscCall(VecSetValue(wanted, j, 1.0 + (PetscReal)(j * 7 % 5), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(wanted));
  PetscCall(VecAssemblyEnd(wanted));
  PetscCall(compare_gradients(A, wanted));
  PetscCall(MatMult(A, wanted, b));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetConvergedReasonString(ksp, &words));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", file, sizeof file, &asked));
  if (asked) PetscCall(write_vector(x, file));
  PetscCall(VecNorm(wanted, NORM_2, &size));
  PetscCall(VecAXPY(wanted, -1.0, x));
  PetscCall(VecNorm(wanted, NORM_2, &off));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, error %.1e\n", words, (double)(off / size)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&wanted));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFree(values));
  PetscCheck(reason > 0 && off <= largest_error * size, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "x is off by %g", (double)(off / size));
  return 0;
}

int main(int argc, char **argv) {
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(KSPPolyakRegister());
  PetscCall(run_cases(run));
  PetscCall(PetscFinalize());
  return 0;
}
