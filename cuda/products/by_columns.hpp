#pragma once

// The entries of sparse rows for sums over columns: blocks of consecutive rows, in each the
// columns. The entries of a column in a block are a piece, and pieces are in slices (slices.hpp).
// So y of one block fits into the shared memory that a sum reads it from, where blocks are short
// enough. Internal.

#include <cstdint>
#include <vector>

#include "cuda/products/slices.hpp"

namespace polyak::cuda {

/// Rows of a block whose y is read from shared memory (64 kB, which every device has).
constexpr Index shared_rows = 8192;

/// Compressed rows in device memory.
template <class Value>
struct CompressedRows {
  Index n, columns_count, entries;
  const Index* starts;
  const std::int32_t* columns;
  const Value* values;
};

/// Slices first .. last−1, of the block of rows that starts with first_row.
struct Tile {
  Index first, last, first_row;
};

/// Blocks that were sorted together. One block of a launch takes the tiles of a share.
template <class Value>
struct ColumnPart {
  Slices<Value> slices;  // numbers are rows of the block
  const Tile* tiles;
  const Index* share_tiles;  // shares + 1
  Index shares;
};

template <class Value>
class ByColumns {
 public:
  ByColumns() = default;
  /// `starts` are those of the rows, on the host; sums run in `shares` blocks of a launch.
  ByColumns(const CompressedRows<Value>& rows, const std::vector<Index>& starts, Index shares);

  Index block_rows() const { return block_rows_; }
  Index pieces() const { return pieces_; }
  /// The pieces of each column, in the order of the rows: those of column j are
  /// column_pieces()[column_starts()[j]] and on.
  const std::int32_t* column_pieces() const { return column_pieces_.data(); }
  const Index* column_starts() const { return column_starts_.data(); }
  std::vector<ColumnPart<Value>> parts() const;

 private:
  struct Kept {
    SliceSet<Value> slices;
    Buffer<Tile> tiles;
    Buffer<Index> share_tiles;
  };

  void list_pieces(const std::vector<Buffer<std::int32_t>>& columns, Index columns_count);

  Index block_rows_ = 0, pieces_ = 0;
  Buffer<Index> column_starts_;
  Buffer<std::int32_t> column_pieces_;
  std::vector<Kept> kept_;
};

/// Bytes of device memory for `entries` entries in this order, sorting included.
double bytes_by_columns(Index entries, double value_bytes);

}  // namespace polyak::cuda
