#pragma once

/// \file matrices.hpp
/// The matrices that live in memory: dense row-major and compressed sparse
/// rows, owned or viewed. A view costs nothing and must outlive the matrix;
/// pass `keep_alive` to hand over whatever owns the memory.

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

/// Copies `bytes` bytes of the view from `from` to `to`, another way than through
/// memory. Of a mapped file touching a page costs its neighbours too: the system
/// maps sixteen at a time.
using ReadBytes = std::function<void(const void* from, std::size_t bytes, void* to)>;

/// A view of a mapped file, of which copy_rows reads single rows by `read`.
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive,
                     ReadBytes read);

/// Compressed sparse rows: row i holds entries row_start[i] .. row_start[i+1].
/// Columns ascend within a row and do not repeat; see csr_from_triplets for
/// data that is not so. `Column` is std::int32_t or Index, `Value` double or
/// float.
template <class Value, class Column>
struct Csr {
  std::vector<Index> row_start;  ///< rows + 1 entries, from 0 to the number stored
  std::vector<Column> columns;
  std::vector<Value> values;
  Index cols = 0;

  Index rows() const { return static_cast<Index>(row_start.size()) - 1; }
};

/// Takes ownership. Structure is validated at once (bad_data names the row).
template <class Value, class Column>
MatrixPtr csr_matrix(Csr<Value, Column> csr);

/// Views somebody else's arrays (SciPy, PETSc, a mapped file), validated alike.
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

/// Sorts entries in any order into CSR with 32-bit columns where they fit;
/// repeated (row, col) are summed in the order given, or refused. Entries that
/// sum to zero stay stored.
MatrixPtr csr_from_triplets(std::vector<Triplet> entries, Index rows, Index cols,
                            Duplicates duplicates = Duplicates::sum);

/// The matrix with its values stored in single precision (accumulation stays
/// double). Returns the same matrix when it already is, or is matrix-free.
MatrixPtr to_single(const MatrixPtr& A);

}  // namespace polyak
#pragma GCC visibility pop
