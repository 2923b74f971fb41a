#pragma once

// A matrix whose rows are read from a file when they are used (io/disk has the only one).

#include "polyak/disk_rows.hpp"
#include "polyak/matrices.hpp"
#include "polyak/ranks.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak::internal {

class DiskRows : public RowMatrix {
 public:
  /// These rows in memory.
  virtual MatrixPtr copy_of(std::span<const Index> rows) const = 0;
  /// The rows of this range, with the same file, buffers and cache.
  virtual MatrixPtr part(RowRange range) const = 0;
  /// How rows were read until now.
  virtual DiskUse use() const = 0;
};

/// The rows on a disk that A consists of, below maps of columns and parts of ranks; null if it is
/// stored in another way.
const DiskRows* as_disk_rows(const RowMatrix& A);

}  // namespace polyak::internal
