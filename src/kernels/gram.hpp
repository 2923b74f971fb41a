#pragma once

// H += PᵀP for a panel P of rows, in vector instructions.
//
// A panel holds up to `panel_rows` rows in blocks of eight columns: the eight values of a
// row are contiguous, and the rows of a block follow each other. H is divided into cells, a
// cell into tiles; a tile is summed in registers over the rows of the panel and then added
// to H. Only tiles on or below the diagonal are computed: the columns that d does not fill
// in the last block are then rows of tiles, which are skipped.
//
// The time is that of the arithmetic, so multiply and add are fused where the target can.
// Bits therefore differ between targets, but not with the number of threads: an entry is
// always the sum over the rows of a panel in their order, added to H.

#include "kernels/dense.hpp"

namespace polyak::internal::kernels {

// The block that a row of tiles shares (16 KiB) stays in the first-level cache, the column
// blocks of a cell (396 KiB) in the second.
constexpr Index panel_rows = 256;
constexpr Index block_columns = 8;
constexpr Index cell_blocks = 24;
// Rows from one block to the next. Odd, so that the blocks of a row, 64 bytes each, are in
// different sets of the first-level cache.
constexpr Index block_pitch = panel_rows + 1;

/// Blocks that hold d columns. H has eight times as many rows and columns.
constexpr Index column_blocks(Index d) { return (d + block_columns - 1) / block_columns; }
/// Rows of cells in H; row I has the cells 0 .. I.
constexpr Index cell_rows(Index d) { return (column_blocks(d) + cell_blocks - 1) / cell_blocks; }

/// Doubles in a panel of d columns, and the index of row r, column j in it.
constexpr Index panel_size(Index d) { return column_blocks(d) * block_pitch * block_columns; }
constexpr Index panel_place(Index r, Index j) {
  return (j / block_columns * block_pitch + r) * block_columns + j % block_columns;
}

/// Smaller numbers enter a panel as zero.
constexpr double smallest_packed = 0x1p-500;

/// Row first + t of the panel = factors[t]·a_t for t < count. Columns from A.d on are not
/// written; add_cell needs zeros there in the last block. is_zero[t], unless null, is whether all
/// numbers of that row of the panel are zero.
void pack_rows(const DenseBlock<double>& A, const double* factors, Index first, Index count,
               double* panel, bool* is_zero = nullptr);
void pack_rows(const DenseBlock<float>& A, const double* factors, Index first, Index count,
               double* panel, bool* is_zero = nullptr);

/// Memory that is used next, to prefetch into the second-level cache.
struct PrefetchRange {
  const void* data = nullptr;
  Index bytes = 0;
};

/// H(i, j) += Σ_r P(r, i)·P(r, j) over the first `rows` rows of a panel of d
/// columns, for the entries j ≤ i of the cell (I, J ≤ I). In blocks on the diagonal it also
/// changes entries with j > i.
void add_cell(const double* panel, Index rows, Index d, Index I, Index J, double* H,
              PrefetchRange coming = {});

}  // namespace polyak::internal::kernels
