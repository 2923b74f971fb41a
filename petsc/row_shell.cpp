// A PETSc matrix around the rows of a RowMatrix.

#include <algorithm>
#include <memory>

#include "mpi_ranks.hpp"
#include "petsc_matrices.hpp"
#include "polyak/error.hpp"
#include "polyak_petsc.h"

namespace polyak::petsc {
namespace {

constexpr const char *rows_name = "polyak_rows", *gradient_name = "MatRowBatchGradient_C";

// A product needs the whole x on every rank, as with PETSc's own dense matrices.
struct RowShell {
  MatrixPtr own;
  Index first = 0;
  Vec all = nullptr;
  VecScatter to_all = nullptr;

  ~RowShell() {
    static_cast<void>(VecDestroy(&all));
    static_cast<void>(VecScatterDestroy(&to_all));
  }
};

RowShell& shell_of(Mat A) {
  void* context = nullptr;
  checked(MatShellGetContext(A, &context));
  return *static_cast<RowShell*>(context);
}

void prepare_scatter(RowShell& shell, Vec x) {
  if (shell.to_all == nullptr) checked(VecScatterCreateToAll(x, &shell.to_all, &shell.all));
}

PetscErrorCode multiply(Mat A, Vec x, Vec y) {
  return guarded(A, [&] {
    RowShell& shell = shell_of(A);
    const Index m = shell.own->rows(), d = shell.own->cols();
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    prepare_scatter(shell, x);
    checked(VecScatterBegin(shell.to_all, x, shell.all, INSERT_VALUES, SCATTER_FORWARD));
    checked(VecScatterEnd(shell.to_all, x, shell.all, INSERT_VALUES, SCATTER_FORWARD));
    checked(VecGetArrayRead(shell.all, &from));
    checked(VecGetArrayWrite(y, &to));
    shell.own->multiply(0, m, {from, 1, d, d}, {to, m, 1, 1});
    checked(VecRestoreArrayWrite(y, &to));
    checked(VecRestoreArrayRead(shell.all, &from));
  });
}

PetscErrorCode multiply_transposed(Mat A, Vec y, Vec x) {
  return guarded(A, [&] {
    RowShell& shell = shell_of(A);
    const Index m = shell.own->rows(), d = shell.own->cols();
    const PetscScalar* from = nullptr;
    PetscScalar *sums = nullptr, *to = nullptr;
    PetscInt first = 0, last = 0;
    prepare_scatter(shell, x);
    checked(VecGetOwnershipRange(x, &first, &last));
    checked(VecSet(shell.all, 0.0));
    checked(VecGetArrayRead(y, &from));
    checked(VecGetArray(shell.all, &sums));
    shell.own->add_transposed(0, m, {from, m, 1, 1}, {sums, 1, d, d});
    mpi::MpiCommunicator(PetscObjectComm(reinterpret_cast<PetscObject>(A))).sum({sums, to_size(d)});
    checked(VecGetArrayWrite(x, &to));
    std::copy(sums + first, sums + last, to);
    checked(VecRestoreArrayWrite(x, &to));
    checked(VecRestoreArray(shell.all, &sums));
    checked(VecRestoreArrayRead(y, &from));
  });
}

// Row by row, because each entry of `rows` has its own b.
PetscErrorCode row_gradient(Mat A, PetscInt count, const PetscInt rows[], const PetscReal weights[],
                            const PetscScalar x[], const PetscScalar b[], PetscScalar g[],
                            PetscReal* residual2) {
  return guarded(A, [&] {
    const RowShell& shell = shell_of(A);
    const Index m = shell.own->rows(), d = shell.own->cols();
    double sum = 0.0;
    for (PetscInt t = 0; t < count; ++t) {
      const Index i = rows[t] - shell.first;
      shell.own->range_gradient(i, i + 1, {weights + t, 1}, {}, {x, 1, d, d}, {b + t, m, 1, 0},
                                {g, 1, d, d}, {&sum, 1});
    }
    if (residual2 != nullptr) *residual2 += sum;
  });
}

// The duplicate has the same rows.
PetscErrorCode duplicate(Mat A, MatDuplicateOption, Mat* B) {
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), B));
  return guarded(A, [&] {
    PetscInt rows = 0;
    MatType type = nullptr;
    checked(MatGetSize(A, &rows, nullptr));
    checked(MatGetType(A, &type));
    become_row_shell(*B, shell_of(A).own, rows);
    checked(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(*B), type));
  });
}

// MatSetType may give A another type, with other rows.
PetscErrorCode remove_rows(Mat A) {
  const auto object = reinterpret_cast<PetscObject>(A);
  PetscCall(PetscObjectCompose(object, rows_name, nullptr));
  PetscCall(PetscObjectComposeFunction(object, gradient_name, nullptr));
  return 0;
}

PetscErrorCode delete_shell(void* shell) {
  delete static_cast<RowShell*>(shell);
  return 0;
}

PetscErrorCode delete_rows(void* rows) {
  delete static_cast<MatrixPtr*>(rows);
  return 0;
}

void keep_rows(Mat A, const MatrixPtr& own) {
  PetscContainer container = nullptr;
  auto rows = std::make_unique<MatrixPtr>(own);
  checked(PetscContainerCreate(PETSC_COMM_SELF, &container));
  checked(PetscContainerSetPointer(container, rows.release()));
  checked(PetscContainerSetUserDestroy(container, delete_rows));
  checked(PetscObjectCompose(reinterpret_cast<PetscObject>(A), rows_name,
                             reinterpret_cast<PetscObject>(container)));
  checked(PetscContainerDestroy(&container));
}

void check_sizes(Mat A, const RowMatrix& own, Index rows) {
  const Index largest = std::max(rows, own.cols());
  if (largest > static_cast<Index>(PETSC_MAX_INT))
    throw Error(ErrorCode::bad_data,
                {.what = "the matrix has more rows or columns than PETSc's 32-bit indices count",
                 .where = "A",
                 .found = std::to_string(largest),
                 .expected = "at most " + std::to_string(PETSC_MAX_INT),
                 .hint = "build the program with petsc64 and load libpolyak_petsc64.so"});
  long long all = own.rows();
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG_LONG, MPI_SUM,
                PetscObjectComm(reinterpret_cast<PetscObject>(A)));
  if (all != rows)
    throw Error(ErrorCode::usage, {.what = "the rows of all processes are not those of A",
                                   .where = "A",
                                   .found = std::to_string(all) + " rows",
                                   .expected = std::to_string(rows)});
}

template <class Function>
void set_operation(Mat A, MatOperation operation, Function function) {
  checked(MatShellSetOperation(A, operation, reinterpret_cast<void (*)(void)>(function)));
}

}  // namespace

void become_row_shell(Mat A, MatrixPtr own, Index rows) {
  check_sizes(A, *own, rows);
  checked(MatSetSizes(A, static_cast<PetscInt>(own->rows()), PETSC_DECIDE,
                      static_cast<PetscInt>(rows), static_cast<PetscInt>(own->cols())));
  checked(MatSetType(A, MATSHELL));
  // polyak reads the rows directly, so PETSc must not scale, shift or zero the shell around them.
  checked(MatShellSetManageScalingShifts(A));
  checked(MatSetUp(A));
  PetscInt first = 0;
  checked(MatGetOwnershipRange(A, &first, nullptr));
  auto shell = std::make_unique<RowShell>();
  shell->own = own;
  shell->first = first;
  checked(MatShellSetContext(A, shell.release()));
  checked(MatShellSetContextDestroy(A, delete_shell));
  set_operation(A, MATOP_MULT, multiply);
  set_operation(A, MATOP_MULT_TRANSPOSE, multiply_transposed);
  set_operation(A, MATOP_DUPLICATE, duplicate);
  set_operation(A, MATOP_DESTROY, remove_rows);
  for (const MatOperation refused : {MATOP_ZERO_ROWS, MATOP_ZERO_ROWS_COLUMNS, MATOP_AXPY})
    checked(MatShellSetOperation(A, refused, nullptr));
  checked(
      PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), gradient_name, row_gradient));
  keep_rows(A, own);
  checked(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  checked(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

MatrixPtr rows_of_shell(Mat A) {
  PetscObject found = nullptr;
  void* rows = nullptr;
  checked(PetscObjectQuery(reinterpret_cast<PetscObject>(A), rows_name, &found));
  if (found == nullptr) return nullptr;
  checked(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(found), &rows));
  return *static_cast<MatrixPtr*>(rows);
}

}  // namespace polyak::petsc

PetscErrorCode MatCreatePolyakRows(MPI_Comm comm, PetscInt m, PetscInt M, PetscInt N,
                                   const PetscScalar values[], Mat* A) {
  using namespace polyak;
  using namespace polyak::petsc;
  PetscCall(MatCreate(comm, A));
  return guarded(*A, [&] {
    const Index here = m, all = M, d = N;
    become_row_shell(*A, dense_view(ConstView{values, here, d, d}), all);
  });
}
