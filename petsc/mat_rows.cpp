#include "mat_rows.hpp"

#include <string>
#include <type_traits>

#include "polyak/error.hpp"
#include "row_shell.hpp"

namespace polyak {
namespace {

using Column = std::conditional_t<sizeof(PetscInt) == 4, std::int32_t, Index>;
static_assert(sizeof(Column) == sizeof(PetscInt));

bool is_type(Mat A, const char* one, const char* several) {
  PetscBool match = PETSC_FALSE;
  checked(PetscObjectBaseTypeCompareAny(reinterpret_cast<PetscObject>(A), &match, one, several,
                                        nullptr));
  return match == PETSC_TRUE;
}

// A reference of our own to a matrix of this process, for as long as it is viewed.
std::shared_ptr<const void> kept(Mat A) {
  return {A, [](Mat mat) { static_cast<void>(MatDestroy(&mat)); }};
}

// Row starts become 64-bit, columns and values are PETSc's own.
MatrixPtr view_csr(Mat A) {
  const auto keep_alive = kept(A);
  PetscInt n = 0, cols = 0;
  const PetscInt *starts = nullptr, *columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscBool done = PETSC_FALSE;
  checked(MatGetSize(A, nullptr, &cols));
  checked(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &starts, &columns, &done));
  checked(MatSeqAIJGetArrayRead(A, &values));
  struct Held {
    std::vector<Index> starts;
    std::shared_ptr<const void> matrix;
  };
  auto held = std::make_shared<Held>();
  held->starts.assign(starts, starts + n + 1);
  held->matrix = keep_alive;
  const std::size_t stored = to_size(held->starts.back());
  const std::span all_columns(reinterpret_cast<const Column*>(columns), stored);
  const std::span all_values(values, stored);
  checked(MatSeqAIJRestoreArrayRead(A, &values));
  checked(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &starts, &columns, &done));
  return csr_view<double, Column>(held->starts, all_columns, all_values, cols, held);
}

// The two parts of each row are merged, and together they may hold more entries
// than the indices of this PETSc can count, though neither does.
void check_entries(Mat A) {
  MatInfo info{};
  checked(MatGetInfo(A, MAT_LOCAL, &info));
  if (info.nz_used <= static_cast<double>(PETSC_MAX_INT)) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the rows of one rank hold more entries than PETSc's 32-bit indices count",
               .where = "A",
               .found = std::to_string(static_cast<Index>(info.nz_used)) + " entries",
               .expected = "at most " + std::to_string(PETSC_MAX_INT),
               .hint = "take more ranks, or build the program with petsc64 and load "
                       "libpolyak_petsc64.so"});
}

MatrixPtr aij_rows(Mat A) {
  check_entries(A);
  PetscBool whole = PETSC_FALSE;  // an mpiaij of one process is not a seqaij
  checked(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQAIJ, &whole));
  Mat local = A;
  if (whole)
    checked(PetscObjectReference(reinterpret_cast<PetscObject>(A)));
  else
    checked(MatMPIAIJGetLocalMat(A, MAT_INITIAL_MATRIX, &local));
  return view_csr(local);
}

MatrixPtr dense_rows(Mat A) {
  PetscInt rows = 0, cols = 0, lda = 0;
  const PetscScalar* values = nullptr;
  checked(MatGetLocalSize(A, &rows, nullptr));
  checked(MatGetSize(A, nullptr, &cols));
  checked(MatDenseGetLDA(A, &lda));
  checked(MatDenseGetArrayRead(A, &values));
  const Index n = rows, d = cols, column = lda;
  std::vector<double> out(to_size(n * d));
  constexpr Index tile = 64;  // both sides stay in cache
  for (Index top = 0; top < n; top += tile)
    for (Index j = 0; j < d; ++j)
      for (Index i = top; i < std::min(n, top + tile); ++i)
        out[to_size(i * d + j)] = values[j * column + i];
  checked(MatDenseRestoreArrayRead(A, &values));
  return dense_matrix(std::move(out), n, d);
}

[[noreturn]] void refuse(Mat A) {
  MatType type = nullptr;
  checked(MatGetType(A, &type));
  throw Error(ErrorCode::usage,
              {.what = "KSP polyak cannot see the rows of this matrix",
               .where = "A",
               .found = std::string("type ") + (type ? type : "unknown"),
               .expected = "aij, dense, or one that composes MatRowBatchGradient_C",
               .hint = "MatConvert it to MATAIJ"});
}

}  // namespace

MatrixPtr own_rows(Mat A) {
  if (auto rows = rows_of_shell(A)) return rows;
  void (*function)(void) = nullptr;
  checked(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), "MatRowBatchGradient_C",
                                   &function));
  if (function) return batch_gradient_rows(A);
  if (is_type(A, MATSEQAIJ, MATMPIAIJ)) return aij_rows(A);
  if (is_type(A, MATSEQDENSE, MATMPIDENSE)) return dense_rows(A);
  refuse(A);
}

}  // namespace polyak
