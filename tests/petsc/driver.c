static char help[] = "A least squares problem for the KSP that the options name.\n\
  -n rows -d columns -mat aij|dense|mpiaij|mpidense|shell -bad_row ROW -noise SIZE -out FILE\n\
  -band WIDTH: entries no farther from the diagonal, which is four times as large\n\
  -claim ENTRIES: MatGetInfo reports so many on each process\n\
  -cases FILE: once per line of FILE, with the options of that line too\n";

/*
   Entry (i, j) is a function of its place, so that every number of processes
   solves the same problem. Prints the reason and the error, writes x with all
   its digits.
*/

#include <petscksp.h>

#include "cases.h"

static PetscInt  rows, columns, bad_row, band; /* options, set by run() */
static PetscBool sparse = PETSC_FALSE;

static PetscInt diagonal(PetscInt i) { return (PetscInt)((long long)i * columns / rows); }
static PetscInt lowest(PetscInt i) { return band ? PetscMax(0, diagonal(i) - band) : 0; }
static PetscInt highest(PetscInt i) { return band ? PetscMin(columns - 1, diagonal(i) + band) : columns - 1; }

static PetscReal entry(PetscInt i, PetscInt j) {
  unsigned long long h = 0x9e3779b97f4a7c15ULL * ((unsigned long long)i * (unsigned long long)columns + (unsigned long long)j + 1);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  h ^= h >> 31;
  if (i == bad_row && j == 1) return NAN;
  if (band && j == diagonal(i)) return 4.0;
  if (sparse && !band && j != i % columns && h % 4 != 0) return 0.0;
  return (PetscReal)(h >> 11) / 4503599627370496.0 - 1.0;
}

static PetscReal solution(PetscInt j) { return 1.0 + (PetscReal)j / (PetscReal)columns; }

static PetscErrorCode shell_gradient(Mat A, PetscInt count, const PetscInt r[], const PetscReal w[], const PetscScalar x[], const PetscScalar b[], PetscScalar g[], PetscReal *residual2) {
  (void)A;
  for (PetscInt t = 0; t < count; ++t) {
    PetscReal rho = -b[t];
    for (PetscInt j = 0; j < columns; ++j) rho += entry(r[t], j) * x[j];
    for (PetscInt j = 0; j < columns; ++j) g[j] += w[t] * rho * entry(r[t], j);
    if (residual2) *residual2 += w[t] * rho * rho;
  }
  return 0;
}

static PetscReal claimed;
static PetscErrorCode claim(Mat A, MatInfoType type, MatInfo *info) {
  (void)A;
  (void)type;
  PetscCall(PetscMemzero(info, sizeof *info));
  info->nz_used = claimed;
  return 0;
}

static PetscErrorCode make_matrix(const char *kind, Mat *A) {
  PetscInt  first, last;
  PetscBool shell, dense;
  PetscCall(PetscStrcmp(kind, "shell", &shell));
  PetscCall(PetscStrcmp(kind, "dense", &dense));
  sparse = (PetscBool)(!shell && !dense);
  if (shell) {
    PetscCall(MatCreateShell(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, columns, NULL, A));
    PetscCall(PetscObjectComposeFunction((PetscObject)*A, "MatRowBatchGradient_C", shell_gradient));
    PetscCall(MatSetUp(*A));
    return 0;
  }
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, columns));
  PetscCall(MatSetType(*A, kind));
  PetscCall(MatSeqAIJSetPreallocation(*A, band ? 2 * band + 1 : columns, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, band ? 2 * band + 1 : columns, NULL, band ? 2 * band + 1 : columns, NULL));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = lowest(i); j <= highest(i); ++j)
      if (dense || entry(i, j) != 0.0) PetscCall(MatSetValue(*A, i, j, entry(i, j), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode fill(Vec x, Vec b, PetscReal noise) {
  PetscInt first, last;
  PetscCall(VecGetOwnershipRange(b, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscReal sum = noise * ((i * 37) % 11 - 5);
    for (PetscInt j = lowest(i); j <= highest(i); ++j) sum += i == bad_row ? 0.0 : entry(i, j) * solution(j);
    PetscCall(VecSetValue(b, i, sum, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(VecSet(x, 0.0));
  return 0;
}

static PetscErrorCode write_result(KSP ksp, Vec x, const char *file) {
  KSPConvergedReason reason;
  const char        *words;
  PetscInt           its, first, last;
  PetscReal          error = 0.0;
  Vec                all;
  VecScatter         scatter;
  const PetscScalar *v;
  FILE              *out;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetConvergedReasonString(ksp, &words));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(VecScatterCreateToZero(x, &scatter, &all));
  PetscCall(VecScatterBegin(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetOwnershipRange(all, &first, &last));
  PetscCall(VecGetArrayRead(all, &v));
  for (PetscInt j = 0; j < last - first; ++j) error = PetscMax(error, PetscAbsReal(v[j] - solution(j)));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, file, "w", &out));
  for (PetscInt j = 0; j < last - first; ++j) PetscCall(PetscFPrintf(PETSC_COMM_SELF, out, "%.17g\n", v[j]));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, out));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s after %d iterations, error %.1e\n", words, (int)its, error));
  PetscCall(VecRestoreArrayRead(all, &v));
  PetscCall(VecDestroy(&all));
  PetscCall(VecScatterDestroy(&scatter));
  return 0;
}

static PetscErrorCode run(void) {
  Mat       A;
  Vec       x, b;
  KSP       ksp;
  char      kind[32] = "aij", file[512] = "x.txt";
  PetscReal noise = 0.0;
  rows = 500, columns = 12, bad_row = -1, band = 0, claimed = 0.0;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &rows, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-d", &columns, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bad_row", &bad_row, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-band", &band, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-noise", &noise, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat", kind, sizeof kind, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", file, sizeof file, NULL));
  PetscCall(make_matrix(kind, &A));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-claim", &claimed, NULL));
  if (claimed > 0) PetscCall(MatSetOperation(A, MATOP_GETINFO, (void (*)(void))claim));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(fill(x, b, noise));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(write_result(ksp, x, file));
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
