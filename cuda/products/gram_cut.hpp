#pragma once

// How the work on a Gram matrix is divided; a function of the sizes and the device alone.
// Host code without CUDA.

#include <algorithm>
#include <cstdint>

namespace polyak::cuda {

using Index = std::int64_t;

/// H = [A b]ᵀ[A b] has tiles of 128 × 128; those on the diagonal and those below it are summed in
/// parts of so many rows each, one block for a part of a tile.
struct GramCut {
  static constexpr Index tile = 128;
  static constexpr Index row_step = 64;      // rows that a kernel takes at once divide this
  static constexpr Index fewest_rows = 512;  // of a part: its sums are written and read once more
  static constexpr Index most_parts = 48;    // of a tile, where many tiles fill the device

  Index tiles, diagonal_parts, diagonal_rows, square_parts, square_rows;

  /// Of n rows and `width` columns, on a device with so many multiprocessors.
  static GramCut of(Index n, Index width, int processors) {
    const Index tiles = (width + tile - 1) / tile, squares = tiles * (tiles - 1) / 2;
    // Two blocks fit on a multiprocessor up to 112 columns.
    const Index places = Index{processors} * (width <= 112 ? 2 : 1);
    const Parts on = parts_of(n, tiles == 1 ? places : full_turns(tiles, places));
    const Parts below = squares > 0 ? parts_of(n, full_turns(squares, processors)) : Parts{0, 0};
    return {tiles, on.count, on.rows, below.count, below.rows};
  }

  /// Doubles of room for the sums of all parts.
  Index scratch() const {
    return (tiles * diagonal_parts + tiles * (tiles - 1) / 2 * square_parts) * tile * tile;
  }
  /// The longest chain of additions in an entry.
  Index additions() const {
    return std::max(diagonal_rows + diagonal_parts, square_rows + square_parts);
  }

 private:
  struct Parts {
    Index count, rows;
  };
  static Parts parts_of(Index n, Index wanted) {
    const Index parts = std::min(wanted, std::max<Index>(1, n / fewest_rows));
    const Index each = (n + parts - 1) / parts;
    const Index rows = std::max(row_step, (each + row_step - 1) / row_step * row_step);
    return {std::max<Index>(1, (n + rows - 1) / rows), rows};
  }
  /// The number of parts for which the last turn of the blocks leaves the fewest places empty.
  static Index full_turns(Index tiles, Index places) {
    Index best = 1;
    double best_share = 0.0;
    const Index most = std::max(most_parts, 2 * places / tiles);
    for (Index parts = 1; parts <= most; ++parts) {
      const Index blocks = tiles * parts, turns = (blocks + places - 1) / places;
      const double share = static_cast<double>(blocks) / static_cast<double>(turns * places);
      if (share <= best_share + 0.02) continue;
      best = parts;
      best_share = share;
    }
    return best;
  }
};

}  // namespace polyak::cuda
