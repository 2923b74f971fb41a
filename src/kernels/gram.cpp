#include "kernels/gram.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gram.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, block_columns>;
using Lanes = hn::Vec<Tag>;
constexpr Index lane_count = static_cast<Index>(hn::MaxLanes(Tag()));
constexpr Index block_vectors = block_columns / lane_count;

// Rows and blocks of a tile. Its sums take 24 of the 32 registers of AVX-512, 8 of the 16 of
// AVX2, 16 of the 32 of NEON: enough to hide the latency of a multiply-add, and each loaded
// value is used several times.
constexpr Index tile_rows = lane_count == 8 ? 8 : lane_count == 1 ? 2 : 4;
constexpr Index tile_blocks = lane_count == 8 ? 3 : 1;

struct Tile {
  const double* down;    // the panel at the tile's first row of H
  const double* across;  // the panel at its first block of columns
  double* H;
  Index stride;
  const char* next;  // to prefetch, `step` bytes for each row of the panel
  Index step;
};

/// H(i, j) += Σ_r down(r, i)·across(r, j) for i < height and j < 8·blocks. Each
/// r: 64·(blocks + 1) bytes from the caches, 8·height·blocks multiply-adds.
template <Index height, Index blocks>
HWY_NOINLINE void add_tile(const Tile& tile, Index rows) {
  constexpr Index vectors = blocks * block_vectors;
  Lanes sums[height][vectors];
  for (Index i = 0; i < height; ++i)
    for (Index v = 0; v < vectors; ++v) sums[i][v] = hn::Zero(Tag());
  const double *down = tile.down, *across = tile.across;
  const char* next = tile.next;
  for (Index r = 0; r < rows; ++r) {
    __builtin_prefetch(next, 0, 2);
    Lanes a[vectors];
    for (Index v = 0; v < vectors; ++v)
      a[v] = hn::LoadU(Tag(), across + panel_place(0, v * lane_count));
    for (Index i = 0; i < height; ++i) {
      const Lanes one = hn::Set(Tag(), down[i]);
      for (Index v = 0; v < vectors; ++v) sums[i][v] = hn::MulAdd(one, a[v], sums[i][v]);
    }
    down += block_columns, across += block_columns, next += tile.step;
  }
  for (Index i = 0; i < height; ++i) {
    for (Index v = 0; v < vectors; ++v) {
      double* h = tile.H + i * tile.stride + v * lane_count;
      hn::StoreU(hn::Add(hn::LoadU(Tag(), h), sums[i][v]), Tag(), h);
    }
  }
}

/// The smallest tile that holds `height` rows.
template <Index max_height = tile_rows>
void add_tile(Index height, Index blocks, const Tile& tile, Index rows) {
  if constexpr (max_height > 2) {
    if (height <= max_height - 2) return add_tile<max_height - 2>(height, blocks, tile, rows);
  }
  if constexpr (tile_blocks == 3) {
    if (blocks == 3) return add_tile<max_height, 3>(tile, rows);
    if (blocks == 2) return add_tile<max_height, 2>(tile, rows);
  }
  add_tile<max_height, 1>(tile, rows);
}

/// Bytes to prefetch with each row of each group of tiles in the cell.
Index fetch_step(Index bytes, Index rows, Index first, Index last, Index J) {
  Index groups = 0;
  for (Index i = first; i < last; ++i)
    groups += (std::min(i - J, cell_blocks - 1) + tile_blocks) / tile_blocks;
  return bytes > 0 ? bytes / (rows * groups) + 1 : 0;
}

void add_cell(const double* panel, Index rows, Index d, Index I, Index J, double* H,
              PrefetchRange coming) {
  const Index first = I * cell_blocks, last = std::min(first + cell_blocks, column_blocks(d));
  Tile tile{};
  tile.stride = column_blocks(d) * block_columns;
  tile.step = fetch_step(coming.bytes, rows, first, last, J * cell_blocks);
  tile.next = static_cast<const char*>(coming.bytes > 0 ? coming.data : panel);
  for (Index i = first; i < last; ++i) {
    const Index end = std::min(i + 1, (J + 1) * cell_blocks);
    for (Index j = J * cell_blocks; j < end; j += tile_blocks) {
      tile.across = panel + panel_place(0, j * block_columns);
      for (Index k = 0; k < block_columns; k += tile_rows) {
        const Index row = i * block_columns + k;
        if (row >= d) break;
        tile.down = panel + panel_place(0, row);
        tile.H = H + row * tile.stride + j * block_columns;
        add_tile(std::min(tile_rows, d - row), std::min(tile_blocks, end - j), tile, rows);
      }
      tile.next += rows * tile.step;
    }
  }
}

HWY_INLINE Lanes load_lanes(const double* p) { return hn::LoadU(Tag(), p); }
HWY_INLINE Lanes load_lanes(const float* p) {
  return hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<float, Tag>(), p));
}

// Sets tiny numbers to zero: their products would be denormal numbers, which take a hundred
// times as long, and beside numbers near 1 they do not matter.
HWY_INLINE Lanes flush_tiny(Lanes v) {
  return hn::IfThenZeroElse(hn::Lt(hn::Abs(v), hn::Set(Tag(), smallest_packed)), v);
}

// The first `count` lanes, zero in the others, without a read behind them.
HWY_INLINE Lanes load_first(const double* p, Index count) {
  return hn::MaskedLoad(hn::FirstN(Tag(), static_cast<std::size_t>(count)), Tag(), p);
}
HWY_INLINE Lanes load_first(const float* p, Index count) {
  const hn::Rebind<float, Tag> floats;
  return hn::PromoteTo(
      Tag(), hn::MaskedLoad(hn::FirstN(floats, static_cast<std::size_t>(count)), floats, p));
}

// Packs the columns behind the last whole block; returns them.
template <class Value>
HWY_INLINE Lanes pack_last(const Value* a, double factor, Index count, double* out) {
  Lanes seen = hn::Zero(Tag());
  if constexpr (HWY_MEM_OPS_MIGHT_FAULT == 0) {
    for (Index l = 0; l < count; l += lane_count) {
      const Index here = std::min(lane_count, count - l);
      const Lanes v = flush_tiny(hn::Mul(hn::Set(Tag(), factor), load_first(a + l, here)));
      hn::BlendedStore(v, hn::FirstN(Tag(), static_cast<std::size_t>(here)), Tag(), out + l);
      seen = hn::Or(seen, v);
    }
    return seen;
  }
  for (Index l = 0; l < count; ++l) {
    const double v = factor * static_cast<double>(a[l]);
    out[l] = std::abs(v) < smallest_packed ? 0.0 : v;
    seen = hn::Or(seen, hn::Set(Tag(), out[l]));
  }
  return seen;
}

/// Each row: d values read, 8·d bytes written.
template <class Value>
HWY_INLINE void pack(const DenseBlock<Value>& A, const double* factors, Index first, Index count,
                     double* panel, bool* is_zero) {
  for (Index t = 0; t < count; ++t) {
    const Value* a = A.data + t * A.stride;
    double* out = panel + panel_place(first + t, 0);
    const Lanes factor = hn::Set(Tag(), factors[t]);
    Lanes seen = hn::Zero(Tag());  // the bits of all numbers: zero, or a sign, where all are zero
    Index j = 0;
    for (; j + block_columns <= A.d; j += block_columns, out += panel_place(0, block_columns)) {
      for (Index l = 0; l < block_columns; l += lane_count) {
        const Lanes v = flush_tiny(hn::Mul(factor, load_lanes(a + j + l)));
        seen = hn::Or(seen, v);
        hn::StoreU(v, Tag(), out + l);
      }
    }
    if (j < A.d) seen = hn::Or(seen, pack_last(a + j, factors[t], A.d - j, out));
    if (is_zero != nullptr) is_zero[t] = hn::AllTrue(Tag(), hn::Eq(seen, hn::Zero(Tag())));
  }
}
void pack_doubles(const DenseBlock<double>& A, const double* factors, Index first, Index count,
                  double* panel, bool* is_zero) {
  pack(A, factors, first, count, panel, is_zero);
}
void pack_floats(const DenseBlock<float>& A, const double* factors, Index first, Index count,
                 double* panel, bool* is_zero) {
  pack(A, factors, first, count, panel, is_zero);
}

}  // namespace polyak::internal::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::internal::kernels {

HWY_EXPORT(add_cell);
HWY_EXPORT(pack_doubles);
HWY_EXPORT(pack_floats);

void add_cell(const double* panel, Index rows, Index d, Index I, Index J, double* H,
              PrefetchRange coming) {
  HWY_DYNAMIC_DISPATCH(add_cell)(panel, rows, d, I, J, H, coming);
}
void pack_rows(const DenseBlock<double>& A, const double* factors, Index first, Index count,
               double* panel, bool* is_zero) {
  HWY_DYNAMIC_DISPATCH(pack_doubles)(A, factors, first, count, panel, is_zero);
}
void pack_rows(const DenseBlock<float>& A, const double* factors, Index first, Index count,
               double* panel, bool* is_zero) {
  HWY_DYNAMIC_DISPATCH(pack_floats)(A, factors, first, count, panel, is_zero);
}

}  // namespace polyak::internal::kernels
#endif
