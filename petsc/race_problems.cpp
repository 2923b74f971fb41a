#include "race_problems.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "polyak/generate.hpp"
#include "polyak/ranks.hpp"
#include "polyak_petsc.h"

namespace polyak::race {
namespace {

// Dense rows, row-major; x lies on every rank while it is used, as in PETSc's own
// dense matrices.
struct Shell {
  std::vector<double> values;
  MatrixPtr rows;  // the library's kernels on them
  Index first = 0, cols = 0;
  Vec all = nullptr;  // x, or A'y, on every rank
  VecScatter to_all = nullptr;
};

Shell& shell_of(Mat A) {
  void* context = nullptr;
  checked(MatShellGetContext(A, &context));
  return *static_cast<Shell*>(context);
}

PetscErrorCode multiply(Mat A, Vec x, Vec y) {
  Shell& shell = shell_of(A);
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscCall(VecScatterBegin(shell.to_all, x, shell.all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(shell.to_all, x, shell.all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(shell.all, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  shell.rows->multiply(0, shell.rows->rows(), {from, 1, shell.cols, shell.cols},
                       {to, shell.rows->rows(), 1, 1});
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(shell.all, &from));
  return 0;
}

PetscErrorCode multiply_transposed(Mat A, Vec y, Vec x) {
  Shell& shell = shell_of(A);
  const PetscScalar* from = nullptr;
  PetscScalar *sums = nullptr, *to = nullptr;
  PetscInt first = 0, last = 0;
  PetscCall(VecGetOwnershipRange(x, &first, &last));
  PetscCall(VecSet(shell.all, 0.0));
  PetscCall(VecGetArrayRead(y, &from));
  PetscCall(VecGetArray(shell.all, &sums));
  shell.rows->add_transposed(0, shell.rows->rows(), {from, shell.rows->rows(), 1, 1},
                             {sums, 1, shell.cols, shell.cols});
  MPI_Allreduce(MPI_IN_PLACE, sums, static_cast<int>(shell.cols), MPI_DOUBLE, MPI_SUM,
                PETSC_COMM_WORLD);
  PetscCall(VecGetArrayWrite(x, &to));
  std::copy(sums + first, sums + last, to);
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArray(shell.all, &sums));
  PetscCall(VecRestoreArrayRead(y, &from));
  return 0;
}

// What a user of MatRowBatchGradient_C would write: one visit to each row.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2,fma", "default")))
#endif
double
add_row_gradient(const double* a, const double* x, double b, double w, Index d, double* g) {
  double r = -b;
#pragma omp simd reduction(+ : r)
  for (Index j = 0; j < d; ++j) r += a[j] * x[j];
  const double factor = w * r;
#pragma omp simd
  for (Index j = 0; j < d; ++j) g[j] += factor * a[j];
  return w * r * r;
}

PetscErrorCode row_gradient(Mat A, PetscInt count, const PetscInt rows[], const PetscReal weights[],
                            const PetscScalar x[], const PetscScalar b[], PetscScalar g[],
                            PetscReal* residual2) {
  constexpr PetscInt ahead = 12;
  const Shell& shell = shell_of(A);
  const auto row = [&](PetscInt t) {
    return shell.values.data() + (rows[t] - shell.first) * shell.cols;
  };
  double sum = 0.0;
  for (PetscInt t = 0; t < count; ++t) {
    if (t + ahead < count)
      for (Index j = 0; j < shell.cols; j += 8) __builtin_prefetch(row(t + ahead) + j, 0, 2);
    sum += add_row_gradient(row(t), x, b[t], weights[t], shell.cols, g);
  }
  if (residual2) *residual2 += sum;
  return 0;
}

PetscErrorCode destroy_shell(Mat A) {
  Shell* shell = &shell_of(A);
  PetscCall(VecDestroy(&shell->all));
  PetscCall(VecScatterDestroy(&shell->to_all));
  delete shell;
  return 0;
}

void fill(Vec v, ConstView values) {
  PetscInt first = 0, last = 0;
  PetscScalar* to = nullptr;
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayWrite(v, &to));
  for (PetscInt i = first; i < last; ++i) to[i - first] = values(i, 0);
  checked(VecRestoreArrayWrite(v, &to));
}

template <class Function>
void set_operation(Mat A, MatOperation operation, Function function) {
  checked(MatShellSetOperation(A, operation, reinterpret_cast<void (*)(void)>(function)));
}

}  // namespace

RowRange rows_here(Index rows) {
  PetscMPIInt rank = 0, ranks = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return even_share(rows, rank, ranks);
}

void destroy(RaceProblem& problem) {
  checked(VecDestroy(&problem.b));
  checked(VecDestroy(&problem.x));
  checked(MatDestroy(&problem.A));
  problem = {};
}

// Every rank makes all of it and keeps its rows.
RaceProblem paper_problem(Index rows, Index cols, double noise) {
  SpectrumProblem spectrum{
      .rows = rows, .cols = cols, .decay = Decay::algebraic, .kappa = 100.0, .rho = 1.0};
  // |Ax| is about √(Σ sigma²) = √(d(kappa+1)/2) for normal x.
  const double size = std::sqrt(static_cast<double>(cols) * 50.5);
  const GeneratedProblem made =
      generate(spectrum, {.seed = 1, .noise = noise * size, .threads = 1});
  auto shell = std::make_unique<Shell>();
  const RowRange range = rows_here(rows);
  const Index here = range.last - range.first;
  shell->values.resize(static_cast<std::size_t>(here * cols));
  made.A->copy_rows(range.first, range.last, {shell->values.data(), here, cols, cols});
  shell->rows = dense_view(ConstView{shell->values.data(), here, cols, cols});
  shell->first = range.first;
  shell->cols = cols;

  RaceProblem out;
  out.own = shell->rows;
  for (Index i = range.first; i < range.last; ++i) out.own_b.push_back(made.b(i));
  checked(MatCreateShell(PETSC_COMM_WORLD, here, PETSC_DECIDE, rows, cols, shell.get(), &out.A));
  checked(MatSetUp(out.A));
  set_operation(out.A, MATOP_MULT, multiply);
  set_operation(out.A, MATOP_MULT_TRANSPOSE, multiply_transposed);
  set_operation(out.A, MATOP_DESTROY, destroy_shell);
  checked(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(out.A), "MatRowBatchGradient_C",
                                     row_gradient));
  checked(MatCreateVecs(out.A, &out.x, &out.b));
  fill(out.b, made.b.view());
  fill(out.x, made.x_least_squares.view());
  checked(VecScatterCreateToAll(out.x, &shell->to_all, &shell->all));
  static_cast<void>(shell.release());
  return out;
}

}  // namespace polyak::race
