#pragma once

/// \file matrices.hpp
/// Matrices in memory: dense row-major and compressed sparse rows, owned or
/// viewed. A view copies nothing; the memory must outlive the matrix. Pass its
/// owner as `keep_alive` to guarantee that.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "polyak/row_matrix.hpp"

#pragma GCC visibility push(default)
namespace polyak {

using MatrixPtr = std::shared_ptr<const RowMatrix>;

MatrixPtr dense_matrix(std::vector<double> values, Index rows, Index cols);
MatrixPtr dense_matrix(std::vector<float> values, Index rows, Index cols);
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive = {});
MatrixPtr dense_view(MatrixView<const float> view, std::shared_ptr<const void> keep_alive = {});

/// Copies `bytes` bytes of the view from `from` to `to` without touching the mapped
/// pages, for instance by pread: touching one page of a mapped file makes the system
/// map sixteen pages.
using ReadBytes = std::function<void(const void* from, std::size_t bytes, void* to)>;

/// A view of a mapped file; copy_rows reads single rows through `read`.
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive,
                     ReadBytes read);

/// Compressed sparse rows: row i holds entries row_start[i] .. row_start[i+1].
/// Columns ascend within a row and do not repeat; csr_from_triplets accepts
/// entries in any order. `Column` is std::int32_t or Index, `Value` double or
/// float.
template <class Value, class Column>
struct Csr {
  std::vector<Index> row_start;  ///< rows + 1 entries, from 0 to the number of stored entries
  std::vector<Column> columns;
  std::vector<Value> values;
  Index cols = 0;

  Index rows() const { return static_cast<Index>(row_start.size()) - 1; }
};

/// Takes ownership. The structure is validated at once; Error bad_data names the row.
template <class Value, class Column>
MatrixPtr csr_matrix(Csr<Value, Column> csr);

/// Views arrays of another owner (SciPy, PETSc, a mapped file), with the same validation.
template <class Value, class Column>
MatrixPtr csr_view(std::span<const Index> row_start, std::span<const Column> columns,
                   std::span<const Value> values, Index cols,
                   std::shared_ptr<const void> keep_alive = {});

struct Triplet {
  Index row;
  Index col;
  double value;
};

enum class Duplicates { sum, error };

/// Sorts entries in any order into CSR, with 32-bit columns where they fit;
/// repeated (row, col) are summed in the order given, or refused. Entries whose
/// sum is zero stay stored.
MatrixPtr csr_from_triplets(std::vector<Triplet> entries, Index rows, Index cols,
                            Duplicates duplicates = Duplicates::sum);

/// The matrix with its values stored in single precision; sums are still computed in
/// double. Returns the same matrix if it is single already, or matrix-free.
MatrixPtr to_single(const MatrixPtr& A);

}  // namespace polyak
#pragma GCC visibility pop
