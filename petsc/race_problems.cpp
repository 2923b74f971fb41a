#include "race_problems.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "polyak/generate.hpp"
#include "polyak/ranks.hpp"
#include "polyak_petsc.h"

namespace polyak::race {
namespace {

// What a user of MatRowBatchGradient_C would write: one visit to each row, in order.
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
  void* context = nullptr;
  PetscCall(MatShellGetContext(A, &context));
  const auto& problem = *static_cast<const RaceProblem*>(context);
  const Index cols = problem.own->cols();
  const auto row = [&](PetscInt t) {
    return problem.values->data() + (rows[t] - problem.first) * cols;
  };
  double sum = 0.0;
  for (PetscInt t = 0; t < count; ++t) {
    if (t + ahead < count)
      for (Index j = 0; j < cols; j += 8) __builtin_prefetch(row(t + ahead) + j, 0, 2);
    sum += add_row_gradient(row(t), x, b[t], weights[t], cols, g);
  }
  if (residual2) *residual2 += sum;
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
  const RowRange range = rows_here(rows);
  const Index here = range.last - range.first;
  RaceProblem out;
  out.first = range.first;
  out.values = std::make_shared<std::vector<double>>(static_cast<std::size_t>(here * cols));
  made.A->copy_rows(range.first, range.last, {out.values->data(), here, cols, cols});
  out.own = dense_view(ConstView{out.values->data(), here, cols, cols}, out.values);
  for (Index i = range.first; i < range.last; ++i) out.own_b.push_back(made.b(i));
  checked(MatCreatePolyakRows(PETSC_COMM_WORLD, here, rows, cols, out.values->data(), &out.A));
  checked(MatCreateVecs(out.A, &out.x, &out.b));
  fill(out.b, made.b.view());
  fill(out.x, made.x_least_squares.view());
  return out;
}

Mat users_shell(const RaceProblem& problem) {
  Mat A = nullptr;
  PetscInt rows = 0, cols = 0;
  checked(MatGetSize(problem.A, &rows, &cols));
  checked(MatCreateShell(PETSC_COMM_WORLD, problem.own->rows(), PETSC_DECIDE, rows, cols,
                         const_cast<RaceProblem*>(&problem), &A));
  checked(MatSetUp(A));
  checked(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), "MatRowBatchGradient_C",
                                     row_gradient));
  return A;
}

}  // namespace polyak::race
