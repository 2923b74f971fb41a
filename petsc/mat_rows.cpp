// The rows of a PETSc matrix that stores them.

#include <algorithm>
#include <string>
#include <type_traits>

#include "petsc_matrices.hpp"
#include "polyak/error.hpp"

namespace polyak::petsc {
namespace {

using Column = std::conditional_t<sizeof(PetscInt) == 4, std::int32_t, Index>;
static_assert(sizeof(Column) == sizeof(PetscInt));

// Holds a reference to a matrix of this process as long as there is a view of it.
std::shared_ptr<const void> kept(Mat A) {
  return {A, [](Mat mat) { static_cast<void>(MatDestroy(&mat)); }};
}

// Row starts are copied as 64-bit numbers; columns and values are those of PETSc.
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

// The two parts of each row are merged. Together they may have more entries than the indices of
// this PETSc can count, although neither part has.
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
  Mat local = A;
  if (is_type(A, MATSEQAIJ))  // not an mpiaij of one process
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
  constexpr Index tile = 64;  // rows and columns of a tile stay in cache
  for (Index top = 0; top < n; top += tile)
    for (Index j = 0; j < d; ++j)
      for (Index i = top; i < std::min(n, top + tile); ++i)
        out[to_size(i * d + j)] = values[j * column + i];
  checked(MatDenseRestoreArrayRead(A, &values));
  return dense_matrix(std::move(out), n, d);
}

bool composes_rows(Mat A) {
  void (*function)(void) = nullptr;
  checked(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), "MatRowBatchGradient_C",
                                   &function));
  return function != nullptr;
}

bool is_aij(Mat A) { return is_type(A, MATSEQAIJ) || is_type(A, MATMPIAIJ); }
bool is_dense(Mat A) { return is_type(A, MATSEQDENSE) || is_type(A, MATMPIDENSE); }

}  // namespace

bool is_type(Mat A, const char* type) {
  PetscBool match = PETSC_FALSE;
  checked(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(A), type, &match));
  return match == PETSC_TRUE;
}

bool is_stored(Mat A) { return !composes_rows(A) && (is_aij(A) || is_dense(A)); }

MatrixPtr own_rows(Mat A) {
  if (auto rows = rows_of_shell(A)) return rows;
  if (composes_rows(A)) return batch_gradient_rows(A);
  if (is_aij(A)) return aij_rows(A);
  if (is_dense(A)) return dense_rows(A);
  return product_rows(A);
}

}  // namespace polyak::petsc
